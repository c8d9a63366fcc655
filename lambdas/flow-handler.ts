import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { powertoolsTelemetry } from '../aws/powertools-telemetry.ts';
import { ClaimcheckError, type ErrorOutcome, errorOutcome } from '../core/errors.ts';
import { readInput, type Schema } from '../core/input/read-input.ts';
import type { Telemetry } from '../core/telemetry/telemetry.ts';
import { fault, nameOf } from './fault.ts';
import { traced } from './tracing.ts';

export const hexId = z.string().check(z.regex(/^[0-9a-f]{32}$/, '32 hexadecimal digits (0-9, a-f)'));
export const turnNumber = z.int().check(z.minimum(0), z.maximum(9_999));
export const toolIndex = z.int().check(z.minimum(0), z.maximum(9_999));
/** As the model service made it; only for log lines. */
export const toolUseIdentity = z.optional(z.string().check(z.maxLength(256)));
export const agentName = z
  .string()
  .check(z.regex(/^[a-z][a-z0-9-]{0,47}$/, 'a name of lower-case letters, digits and hyphens, at most 48'));
/** From the flow's context object: `$$.Execution.Id` and `$$.StateMachine.Id`. */
export const flowIdentity = z.strictObject({
  execution: z.string().check(z.minLength(1), z.maxLength(2_048)),
  stateMachine: z.string().check(z.minLength(1), z.maxLength(2_048)),
});

export interface StepContext {
  readonly telemetry: Telemetry;
  /** Milliseconds until Lambda stops this invocation. */
  readonly timeLeftMs: () => number;
}

/**
 * A function of a flow: parses the event strictly, runs one step, and turns expected failures into an outcome that a
 * Choice can read. Anything else is a fault and thrown, without its text.
 */
export function flowHandler<Event extends { readonly runId: string }, Result>(
  name: string,
  schema: Schema<Event>,
  step: (event: Event, context: StepContext) => Promise<Result>,
): (event: unknown, context?: Context) => Promise<Result | ErrorOutcome> {
  return async (event, context) => {
    const parsed = readInput(schema, event, 'event');
    const facts = parsed.success ? stepFacts(parsed.data) : {};
    const telemetry = powertoolsTelemetry(name, facts);
    try {
      if (!parsed.success) throw parsed.error;
      const timeLeftMs = () => context?.getRemainingTimeInMillis?.() ?? 60_000;
      return await traced(name, facts, () => step(parsed.data, { telemetry, timeLeftMs }));
    } catch (error) {
      if (error instanceof ClaimcheckError) {
        telemetry.decision('refused', { code: error.code, retryable: error.retryable });
        telemetry.count('Refusal', 1, { code: error.code });
        return errorOutcome(error);
      }
      telemetry.decision('fault', { error: nameOf(error) });
      throw fault(error);
    } finally {
      telemetry.flush();
    }
  };
}

function stepFacts(event: { readonly runId: string }): Record<string, string | number> {
  const facts: Record<string, string | number> = { runId: event.runId };
  for (const key of ['turn', 'index'] as const) {
    const value = (event as Record<string, unknown>)[key];
    if (typeof value === 'number') facts[key] = value;
  }
  return facts;
}
