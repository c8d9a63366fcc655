import { z } from 'zod';
import { documentClient } from '../../aws/clients.ts';
import { DynamoActiveRuns } from '../../aws/dynamo-active-runs.ts';
import { powertoolsTelemetry } from '../../aws/powertools-telemetry.ts';
import { closeRun } from '../../core/flow/close-run.ts';
import { readEnvironment } from '../environment.ts';
import { hexId, invalidEvent } from '../flow-handler.ts';
import { runPorts, runTable } from '../run-ports.ts';

/** EventBridge's "Step Functions Execution Status Change"; other parts of the event are of no interest. */
const event = z.object({
  detail: z.object({
    name: hexId,
    stateMachineArn: z.string().min(1),
    status: z.string().min(1),
  }),
});

const environment = readEnvironment(process.env, 'runs');
const table = runTable(documentClient(), environment.runs, environment.settings);
const ports = {
  ...runPorts(table),
  activeRuns: new DynamoActiveRuns(table, environment.settings.run.maxAgeSeconds),
};

/** Closes runs whose execution ended without closing them. */
export async function handler(input: unknown): Promise<void> {
  const parsed = event.safeParse(input);
  if (!parsed.success) throw invalidEvent(parsed.error);
  const { name: runId, stateMachineArn, status } = parsed.data.detail;
  const telemetry = powertoolsTelemetry('close-run', { runId });
  try {
    await closeRun({ runId, stateMachineArn, status }, { ...ports, telemetry });
  } finally {
    telemetry.flush();
  }
}
