import * as z from 'zod/mini';
import { documentClient, s3Client } from '../../aws/clients.ts';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { dynamoChats } from '../../aws/dynamo-chats.ts';
import { DynamoErasures } from '../../aws/dynamo-erasures.ts';
import { DynamoReplacements } from '../../aws/dynamo-replacements.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { finishRun } from '../../core/chat/finish-run.ts';
import { tools } from '../../tools/catalogue.ts';
import { readEnvironment } from '../environment.ts';
import { flowHandler, flowIdentity, hexId } from '../flow-handler.ts';
import { runPorts, runTable } from '../run-ports.ts';

/** `failure` comes from a catcher: its code is kept, its text shortened, and no cause is passed on to the chat. */
const event = z.strictObject({
  runId: hexId,
  flow: flowIdentity,
  failure: z.optional(
    z.strictObject({
      code: z.string().check(z.minLength(1), z.maxLength(200)),
      message: z.optional(z.string().check(z.maxLength(300_000))),
    }),
  ),
});

const environment = readEnvironment(process.env, 'bucket', 'runs', 'catalog', 'chats', 'sessions');
const documents = documentClient();
const s3 = s3Client();
const table = runTable(documents, environment.runs, environment.settings);
const ports = {
  ...runPorts(table),
  replacements: new DynamoReplacements(table),
  catalogue: new DynamoCatalogue(documents, environment.catalog),
  chats: dynamoChats(documents, environment.chats),
  erasures: new DynamoErasures({ documents, table: environment.sessions }),
  tools,
};

/** The flow's last step: the turn is persisted once, whatever the number of repeats, and the run is closed. */
export const handler = flowHandler('save-turn', event, async ({ runId, flow, failure }, { telemetry }) => {
  const store = new S3ResultStore(s3, environment.bucket, telemetry);
  await finishRun({ runId, flow, failure }, environment.settings, {
    ...ports,
    store,
    telemetry,
  });
  return { outcome: 'ok' as const };
});
