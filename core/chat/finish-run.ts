import { errorCodes } from '../errors.ts';
import { checkRun, type FlowIdentity } from '../run/check-run.ts';
import type { Run, RunRecords } from '../run/run.ts';
import type { Settings } from '../settings.ts';
import { failureWords, type TurnFailure } from './failure-words.ts';
import { type SaveTurnPorts, saveTurn } from './save-turn.ts';

export interface FinishRunPorts extends SaveTurnPorts {
  readonly runs: RunRecords;
}

/**
 * The last step of a flow: persists the chat turn, then closes the run. A repeat after either step ends in the same
 * turn and the same end. Refuses as `checkRun` does, except for a repeat of what was saved before.
 */
export async function finishRun(
  event: { readonly runId: string; readonly flow: FlowIdentity; readonly failure?: TurnFailure | undefined },
  settings: Pick<Settings, 'chat' | 'run'>,
  ports: FinishRunPorts,
): Promise<{ readonly n: number; readonly created: boolean }> {
  const run =
    (await savedRun(event, ports)) ?? (await checkRun(event.runId, event.flow, { ...ports, ...settings.run }));
  ports.telemetry.add?.({ session: run.session });
  const saved = await saveTurn(run, event.failure, settings, ports);
  if (event.failure !== undefined && run.status === 'admitted') {
    ports.telemetry.count('RunFailed', 1, { reason: failureCode(event.failure.code) });
  }
  await ports.runs.close(run.runId, {
    status: event.failure === undefined ? 'succeeded' : 'failed',
    ...(event.failure === undefined ? {} : { failure: failureWords(event.failure) }),
    endedAt: ports.clock.now().toISOString(),
  });
  return saved;
}

/** A known code, so that nothing that a flow passes on becomes a metric of its own. */
function failureCode(code: string): string {
  return code === 'Fault' || Object.hasOwn(errorCodes, code) ? code : 'Other';
}

/** The run of a repeated event: it has ended by its first one, and the answer is the same. */
async function savedRun(
  event: { readonly runId: string; readonly flow: FlowIdentity },
  ports: FinishRunPorts,
): Promise<Run | undefined> {
  const run = await ports.runs.get(event.runId);
  if (run === undefined || run.status === 'admitted' || run.stateMachineArn !== event.flow.stateMachine)
    return undefined;
  return (await ports.outcomes.find(run.runId, 'save')) === undefined ? undefined : run;
}
