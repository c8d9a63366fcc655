import { powertoolsTelemetry } from '../aws/powertools-telemetry.ts';
import { ClaimcheckError } from '../core/errors.ts';
import { readInput, type Schema } from '../core/input/read-input.ts';
import type { JsonValue } from '../core/json.ts';
import { assertOpen } from '../core/run/check-run.ts';
import type { Run, RunRecords } from '../core/run/run.ts';
import type { Settings } from '../core/settings.ts';
import { systemClock, type Telemetry } from '../core/telemetry/telemetry.ts';
import { fault, nameOf } from './fault.ts';
import { traced } from './tracing.ts';

/** Whose call it is: `toolUseId` is for log lines alone. */
export interface BuiltinEvent {
  readonly runId: string;
  readonly turn: number;
  readonly index: number;
  readonly toolUseId?: string | undefined;
}

/** What one of the platform's own tools answers `run-tool` (docs/contracts.md). */
export interface BuiltinAnswer {
  readonly status: 'success' | 'error';
  readonly content: readonly { readonly text: string }[];
  readonly delivered?: JsonValue;
}

/**
 * A function behind one of the platform's own tools: parses the event, finds the run and its owner by `runId` alone,
 * and answers an expected failure as an error result that a model can read: never as text that looks like content.
 */
export function builtinHandler<Event extends BuiltinEvent>(
  name: string,
  schema: Schema<Event>,
  ports: { readonly runs: Pick<RunRecords, 'get'>; readonly settings: Settings },
  answer: (event: Event, run: Run, telemetry: Telemetry) => Promise<{ text: string; delivered?: JsonValue }>,
): (event: unknown) => Promise<BuiltinAnswer> {
  return async (event) => {
    const parsed = readInput(schema, event, 'event', { unlisted: ['runId', 'turn', 'index', 'toolUseId'] });
    const telemetry = powertoolsTelemetry(name, parsed.success ? callIds(parsed.data) : {});
    try {
      if (!parsed.success) throw parsed.error;
      const run = await ports.runs.get(parsed.data.runId);
      if (run === undefined) throw new ClaimcheckError('NotFound', 'run: there is no such run');
      telemetry.add({ session: run.session });
      assertOpen(run, { clock: systemClock, maxAgeSeconds: ports.settings.run.maxAgeSeconds });
      const { text, delivered } = await traced(name, callIds(parsed.data), () => answer(parsed.data, run, telemetry));
      return { status: 'success', content: [{ text }], ...(delivered === undefined ? {} : { delivered }) };
    } catch (error) {
      if (!(error instanceof ClaimcheckError)) {
        telemetry.decision('fault', { error: nameOf(error) });
        // By its own name, so that `run-tool` knows what to try again.
        throw fault(error, nameOf(error));
      }
      telemetry.decision('refused', { code: error.code, retryable: error.retryable });
      telemetry.count('Refusal', 1, { code: error.code });
      return { status: 'error', content: [{ text: `${error.code}: ${error.message}` }] };
    } finally {
      telemetry.flush();
    }
  };
}

const callIds = ({ runId, turn, index, toolUseId }: BuiltinEvent) => ({ runId, turn, index, toolUseId });
