import * as z from 'zod/mini';
import { documentClient, s3Client } from '../../aws/clients.ts';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { dynamoChats } from '../../aws/dynamo-chats.ts';
import { DynamoErasures } from '../../aws/dynamo-erasures.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { handOff } from '../../core/hand-off/hand-off.ts';
import { checkRun } from '../../core/run/check-run.ts';
import { handOffWording } from '../../prompts/hand-off.ts';
import { tools } from '../../tools/catalogue.ts';
import { readEnvironment } from '../environment.ts';
import { agentName, flowHandler, flowIdentity, hexId, turnNumber } from '../flow-handler.ts';
import { runPorts, runTable } from '../run-ports.ts';

const event = z.strictObject({ runId: hexId, turn: turnNumber, from: agentName, to: agentName, flow: flowIdentity });

const environment = readEnvironment(process.env, 'bucket', 'runs', 'catalog', 'chats', 'sessions', 'baseUrl');
const { settings, baseUrl } = environment;
const documents = documentClient();
const s3 = s3Client();
const ports = {
  ...runPorts(runTable(documents, environment.runs, settings)),
  catalogue: new DynamoCatalogue(documents, environment.catalog),
  chats: dynamoChats(documents, environment.chats),
  erasures: new DynamoErasures({ documents, table: environment.sessions }),
  tools,
  settings,
  baseUrl,
  wording: handOffWording,
};

/** The next agent's opening message: facts on top by code, references apart, a shortened text stored whole. */
export const handler = flowHandler('hand-off', event, async ({ runId, turn, from, to, flow }, { telemetry }) => {
  const run = await checkRun(runId, flow, { ...ports, telemetry, maxAgeSeconds: settings.run.maxAgeSeconds });
  const store = new S3ResultStore(s3, environment.bucket, telemetry);
  const { next, ref, turn: opened } = await handOff(run, { turn, from, to }, { ...ports, store, telemetry });
  return { outcome: 'ok' as const, turn: opened, next, ref };
});
