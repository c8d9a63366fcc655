import { ClaimcheckError } from '../errors.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';
import type { Run, RunRecords } from './run.ts';

/** Which execution speaks: from the flow's own context object, never from a model. */
export interface FlowIdentity {
  readonly execution: string;
  readonly stateMachine: string;
}

/**
 * The run that an event of a flow names, or a refusal (DESIGN 5.9): `NotFound` (no such run), `Forbidden` (another
 * state machine's or another execution's run, or one that has ended), `Expired` (older than `run.maxAge`). From here on
 * log lines have the session, that of a refusal too.
 */
export async function checkRun(
  runId: string,
  flow: FlowIdentity,
  ports: {
    readonly runs: RunRecords;
    readonly clock: Clock;
    readonly telemetry: Pick<Telemetry, 'add'>;
    readonly maxAgeSeconds: number;
  },
): Promise<Run> {
  const run = await ports.runs.get(runId);
  if (run === undefined) throw new ClaimcheckError('NotFound', 'run: there is no such run');
  if (run.stateMachineArn !== flow.stateMachine || executionName(flow.execution) !== runId) {
    throw new ClaimcheckError('Forbidden', 'run: it belongs to another flow');
  }
  ports.telemetry.add?.({ session: run.session });
  assertOpen(run, ports);
  return run;
}

/** For functions that `run-tool` calls: the same age and end rules, without an execution to compare. */
export function assertOpen(run: Run, ports: { readonly clock: Clock; readonly maxAgeSeconds: number }): void {
  if (run.status !== 'admitted') {
    throw new ClaimcheckError('Forbidden', 'run: it has ended', { status: run.status });
  }
  const ageSeconds = (ports.clock.now().getTime() - Date.parse(run.admittedAt)) / 1000;
  // A date that cannot be read is no proof of youth.
  if (!(ageSeconds <= ports.maxAgeSeconds)) {
    throw new ClaimcheckError('Expired', `run: it is older than ${ports.maxAgeSeconds} s; start a new one`, {
      maxAgeSeconds: ports.maxAgeSeconds,
    });
  }
}

/** `arn:…:execution:<state machine>:<name>`: the name of our executions is the run's id. */
function executionName(execution: string): string {
  return execution.slice(execution.lastIndexOf(':') + 1);
}
