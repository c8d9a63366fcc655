import { type FlushingTelemetry, powertoolsTelemetry } from '../aws/powertools-telemetry.ts';
import type { ToolEvent } from '../core/tool/tool-definition.ts';
import { traced } from './tracing.ts';

/**
 * A tool's own function: the ids of the call on every line, and one line for how it ended. What the tool answers is
 * not looked into; a fault is logged by name alone and thrown on.
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
      telemetry.decision('fault', { error: error instanceof Error ? error.name : typeof error });
      throw error;
    } finally {
      telemetry.flush();
    }
  };
}
