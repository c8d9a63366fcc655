import { ClaimcheckError } from '../errors.ts';
import type { ActiveRuns } from '../run/flow-starter.ts';
import type { Run, RunRecords } from '../run/run.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';

export interface CloseRunPorts {
  readonly runs: RunRecords;
  readonly activeRuns: ActiveRuns;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Leaves a failed turn in the chat; absent where no chats are kept. */
  readonly saveFailedTurn?: (run: Run, failure: string) => Promise<void>;
}

const sentences: Readonly<Record<string, string>> = {
  FAILED: 'The run failed before it could answer.',
  TIMED_OUT: 'The run took too long and was stopped.',
  ABORTED: 'The run was stopped.',
  SUCCEEDED: 'The run ended without an answer.',
};

/**
 * Closes a run whose execution has ended without closing it, so that nobody polls it for ever: one sentence for a
 * person, never the execution's cause. A run that is closed already, or unknown, is left as it is.
 */
export async function closeRun(
  execution: { readonly runId: string; readonly stateMachineArn: string; readonly status: string },
  ports: CloseRunPorts,
): Promise<void> {
  const run = await ports.runs.get(execution.runId);
  const failure = sentences[execution.status];
  if (run === undefined || failure === undefined || run.stateMachineArn !== execution.stateMachineArn) return;
  await ports.activeRuns.leave(run.owner, run.runId);
  if (run.status !== 'admitted') return;
  // The turn before the end: whoever sees the run ended finds the turn in the chat.
  await saveTurn(run, failure, ports);
  await ports.runs.close(run.runId, { status: 'failed', failure, endedAt: ports.clock.now().toISOString() });
  ports.telemetry.count('RunFailed', 1, { reason: execution.status });
  ports.telemetry.decision('run_closed', { runId: run.runId, session: run.session, status: execution.status });
}

/** A chat that takes no turn any more (past its date, its owner erased) never will: the run ends all the same. */
async function saveTurn(run: Run, failure: string, ports: CloseRunPorts): Promise<void> {
  try {
    await ports.saveFailedTurn?.(run, failure);
  } catch (error) {
    if (!(error instanceof ClaimcheckError) || error.retryable) throw error;
    ports.telemetry.decision('turn_not_saved', { runId: run.runId, session: run.session, code: error.code });
  }
}
