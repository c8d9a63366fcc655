import * as z from 'zod/mini';
import { documentClient, s3Client } from '../../aws/clients.ts';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { DynamoErasures } from '../../aws/dynamo-erasures.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { postToolHook } from '../../core/flow/post-tool-hook.ts';
import { tools } from '../../tools/catalogue.ts';
import { readEnvironment } from '../environment.ts';
import { flowHandler, flowIdentity, hexId, toolIndex, turnNumber } from '../flow-handler.ts';
import { runPorts, runTable } from '../run-ports.ts';

const event = z.strictObject({
  runId: hexId,
  turn: turnNumber,
  index: toolIndex,
  tool: z
    .string()
    .check(z.regex(/^[a-z][a-z0-9_]{0,47}$/, 'a name of lower-case letters, digits and underscores, at most 48')),
  // Whatever the foreign tool answered: looked into by the core, so that nonsense is an error result and not a fault.
  result: z.unknown(),
  flow: flowIdentity,
});

const environment = readEnvironment(process.env, 'bucket', 'runs', 'catalog', 'sessions', 'baseUrl');
const { settings, baseUrl } = environment;
const documents = documentClient();
const s3 = s3Client();
const ports = {
  ...runPorts(runTable(documents, environment.runs, settings)),
  catalogue: new DynamoCatalogue(documents, environment.catalog),
  erasures: new DynamoErasures({ documents, table: environment.sessions }),
  tools,
  settings,
  baseUrl,
};

/** Keeps a result that a foreign flow passes through its state, and gives back something small. */
export const handler = flowHandler('post-tool-hook', event, (parsed, { telemetry }) =>
  postToolHook(parsed, {
    ...ports,
    store: new S3ResultStore(s3, environment.bucket, telemetry),
    telemetry,
  }),
);
