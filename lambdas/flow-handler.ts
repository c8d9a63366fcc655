import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { powertoolsTelemetry } from '../aws/powertools-telemetry.ts';
import { ClaimcheckError, type ErrorOutcome, errorOutcome } from '../core/errors.ts';
import type { Telemetry } from '../core/telemetry/telemetry.ts';
import { fault, nameOf } from './fault.ts';
import { traced } from './tracing.ts';

export const hexId = z.string().regex(/^[0-9a-f]{32}$/);
export const turnNumber = z.number().int().min(0).max(9_999);
export const toolIndex = z.number().int().min(0).max(9_999);
export const agentName = z.string().regex(/^[a-z][a-z0-9-]{0,47}$/);
/** From the flow's context object: `$$.Execution.Id` and `$$.StateMachine.Id`. */
export const flowIdentity = z.strictObject({
  execution: z.string().min(1).max(2_048),
  stateMachine: z.string().min(1).max(2_048),
});

/** Longest error text that leaves a function, in characters: a cause must never carry a tool's data (case H072). */
const errorCharacters = 300;

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
  schema: z.ZodType<Event>,
  step: (event: Event, context: StepContext) => Promise<Result>,
): (event: unknown, context?: Context) => Promise<Result | ErrorOutcome> {
  return async (event, context) => {
    const parsed = schema.safeParse(event);
    const facts = parsed.success ? stepFacts(parsed.data) : {};
    const telemetry = powertoolsTelemetry(name, facts);
    try {
      if (!parsed.success) throw invalidEvent(parsed.error);
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

/** What was wrong with an event: paths and expectations, never a value, since values may be content. */
export function invalidEvent(error: z.ZodError): ClaimcheckError {
  const issues = error.issues.slice(0, 5).map((issue) => {
    const path = issue.path.map(String).join('.') || 'event';
    const keys = issue.code === 'unrecognized_keys' ? ` (${issue.keys.slice(0, 5).join(', ')})` : '';
    return `${path}: ${issue.code.replaceAll('_', ' ')}${keys}`;
  });
  return new ClaimcheckError('InvalidInput', issues.join('; ').slice(0, errorCharacters), { issues });
}

function stepFacts(event: { readonly runId: string }): Record<string, string | number> {
  const facts: Record<string, string | number> = { runId: event.runId };
  for (const key of ['turn', 'index'] as const) {
    const value = (event as Record<string, unknown>)[key];
    if (typeof value === 'number') facts[key] = value;
  }
  return facts;
}
