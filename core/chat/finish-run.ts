import { ClaimcheckError } from '../errors.ts';
import type { Run, RunRecords } from '../run/run.ts';
import type { Settings } from '../settings.ts';
import { failureWords, type TurnFailure } from './failure-words.ts';
import { type SaveTurnPorts, saveTurn } from './save-turn.ts';

export interface FinishRunPorts extends SaveTurnPorts {
  readonly runs: Pick<RunRecords, 'get' | 'close'>;
}

/**
 * The last step of a flow: persists the chat turn, then closes the run. A repeat after either step ends in the same
 * turn and the same end. Throws `NotFound` for a run that is not this flow's, or that has ended or grown too old
 * without its turn having been saved.
 */
export async function finishRun(
  event: { readonly runId: string; readonly stateMachine: string; readonly failure?: TurnFailure | undefined },
  settings: Pick<Settings, 'chat' | 'run'>,
  ports: FinishRunPorts,
): Promise<{ readonly n: number; readonly created: boolean }> {
  const run = await ports.runs.get(event.runId);
  if (run === undefined || run.stateMachineArn !== event.stateMachine) throw noSuchRun();
  if (run.status !== 'admitted' || isTooOld(run, settings, ports)) {
    // Only a repeated event is answered here: the turn stands already.
    if ((await ports.outcomes.find(run.runId, 'save')) === undefined) throw noSuchRun();
  }
  const saved = await saveTurn(run, event.failure, settings, ports);
  await ports.runs.close(run.runId, {
    status: event.failure === undefined ? 'succeeded' : 'failed',
    ...(event.failure === undefined ? {} : { failure: failureWords(event.failure) }),
    endedAt: ports.clock.now().toISOString(),
  });
  return saved;
}

function isTooOld(run: Run, settings: Pick<Settings, 'run'>, ports: Pick<FinishRunPorts, 'clock'>): boolean {
  return ports.clock.now().getTime() - Date.parse(run.admittedAt) > settings.run.maxAgeSeconds * 1000;
}

function noSuchRun(): ClaimcheckError {
  return new ClaimcheckError('NotFound', 'run: there is no such run in this flow');
}
