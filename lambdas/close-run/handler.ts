import * as z from 'zod/mini';
import { documentClient, s3Client } from '../../aws/clients.ts';
import { DynamoActiveRuns } from '../../aws/dynamo-active-runs.ts';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { dynamoChats } from '../../aws/dynamo-chats.ts';
import { DynamoErasures } from '../../aws/dynamo-erasures.ts';
import { DynamoReplacements } from '../../aws/dynamo-replacements.ts';
import { powertoolsTelemetry } from '../../aws/powertools-telemetry.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { saveTurn } from '../../core/chat/save-turn.ts';
import { closeRun } from '../../core/flow/close-run.ts';
import { readInput } from '../../core/input/read-input.ts';
import { tools } from '../../tools/catalogue.ts';
import { readEnvironment } from '../environment.ts';
import { fault, nameOf } from '../fault.ts';
import { hexId } from '../flow-handler.ts';
import { runPorts, runTable } from '../run-ports.ts';

/** EventBridge's "Step Functions Execution Status Change"; other parts of the event are of no interest. */
const event = z.object({
  detail: z.object({
    name: hexId,
    stateMachineArn: z.string().check(z.minLength(1)),
    status: z.string().check(z.minLength(1)),
  }),
});

const environment = readEnvironment(process.env, 'bucket', 'runs', 'catalog', 'chats', 'sessions');
const { settings } = environment;
const documents = documentClient();
const s3 = s3Client();
const table = runTable(documents, environment.runs, settings);
const ports = {
  ...runPorts(table),
  replacements: new DynamoReplacements(table),
  activeRuns: new DynamoActiveRuns(table, settings.run.maxAgeSeconds),
  erasures: new DynamoErasures({ documents, table: environment.sessions }),
  catalogue: new DynamoCatalogue(documents, environment.catalog),
  chats: dynamoChats(documents, environment.chats),
  tools,
};

/** Closes runs whose execution ended without closing them, and leaves a failed turn in their chat. */
export async function handler(input: unknown): Promise<void> {
  const parsed = readInput(event, input, 'event');
  if (!parsed.success) throw parsed.error;
  const { name: runId, stateMachineArn, status } = parsed.data.detail;
  const telemetry = powertoolsTelemetry('close-run', { runId });
  const store = new S3ResultStore(s3, environment.bucket, telemetry);
  try {
    await closeRun(
      { runId, stateMachineArn, status },
      {
        ...ports,
        telemetry,
        saveFailedTurn: async (run, failure) => {
          await saveTurn(run, { code: status, message: failure }, settings, { ...ports, store, telemetry });
        },
      },
    );
  } catch (error) {
    telemetry.decision('fault', { error: nameOf(error) });
    throw fault(error);
  } finally {
    telemetry.flush();
  }
}
