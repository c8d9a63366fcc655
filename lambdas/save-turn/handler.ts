import { z } from 'zod';
import { documentClient, s3Client } from '../../aws/clients.ts';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { dynamoChats } from '../../aws/dynamo-chats.ts';
import { DynamoMessages } from '../../aws/dynamo-messages.ts';
import { DynamoOutcomes } from '../../aws/dynamo-outcomes.ts';
import { DynamoReplacements } from '../../aws/dynamo-replacements.ts';
import { DynamoRunRecords } from '../../aws/dynamo-runs.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { finishRun } from '../../core/chat/finish-run.ts';
import { systemClock } from '../../core/telemetry/telemetry.ts';
import { tools } from '../../tools/catalogue.ts';
import { readEnvironment } from '../environment.ts';
import { flowHandler, flowIdentity, hexId } from '../flow-handler.ts';

/** `failure` comes from a catcher: its code is kept, its text shortened, and no cause is passed on to the chat. */
const event = z.strictObject({
  runId: hexId,
  flow: flowIdentity,
  failure: z.strictObject({ code: z.string().min(1).max(200), message: z.string().max(300_000).optional() }).optional(),
});

const environment = readEnvironment(process.env, 'bucket', 'runs', 'catalog', 'chats');
const documents = documentClient();
const s3 = s3Client();
const runTable = {
  documents,
  table: environment.runs,
  clock: systemClock,
  keepSeconds: environment.settings.storage.retentionDays * 86_400,
};
const ports = {
  runs: new DynamoRunRecords(runTable),
  messages: new DynamoMessages(runTable),
  outcomes: new DynamoOutcomes(runTable),
  replacements: new DynamoReplacements(runTable),
  catalogue: new DynamoCatalogue(documents, environment.catalog),
  chats: dynamoChats(documents, environment.chats),
  tools,
  clock: systemClock,
};

/** The flow's last step: the turn is persisted once, whatever the number of repeats, and the run is closed. */
export const handler = flowHandler('save-turn', event, async ({ runId, flow, failure }, { telemetry }) => {
  const store = new S3ResultStore(s3, environment.bucket, telemetry);
  await finishRun({ runId, stateMachine: flow.stateMachine, failure }, environment.settings, {
    ...ports,
    store,
    telemetry,
  });
  return { outcome: 'ok' as const };
});
