import { type FlushingTelemetry, powertoolsTelemetry } from '../aws/powertools-telemetry.ts';
import { ClaimcheckError } from '../core/errors.ts';
import type { ToolEvent } from '../core/tool/tool-definition.ts';
import { fault, nameOf } from './fault.ts';
import { traced } from './tracing.ts';

/**
 * A tool's own function: the ids of the call on every line, and one line for how it ended. What the tool answers is
 * not looked into. What is thrown reaches the log and the model: an expected failure with its own words, a fault (a
 * database's refusal may quote values and name hosts) by its class alone, which says whether to try again.
 */
export function toolHandler<Answer extends { readonly status: 'success' | 'error' }>(
  name: string,
  answer: (event: ToolEvent, telemetry: FlushingTelemetry) => Promise<Answer>,
): (event: ToolEvent) => Promise<Answer> {
  return async (event) => {
    // A foreign flow invokes its tool without the platform's context.
    const { runId, session, turn, index, toolUseId } = (event?.context ?? {}) as Partial<ToolEvent['context']>;
    const ids = { runId, session, turn, index, toolUseId };
    const telemetry = powertoolsTelemetry(name, ids);
    try {
      const answered = await traced(name, ids, () => answer(event, telemetry));
      telemetry.decision('tool_answered', { status: answered.status });
      return answered;
    } catch (error) {
      telemetry.decision('fault', { error: nameOf(error) });
      if (error instanceof ClaimcheckError) throw error;
      const thrown = fault(error, nameOf(error));
      thrown.message = '';
      throw thrown;
    } finally {
      telemetry.flush();
    }
  };
}
