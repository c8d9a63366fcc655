import { joinedText } from './conversation-guard.ts';
import type { References, WrappedCall } from './references.ts';

/**
 * A thrown failure whose words are within the tool's budget: frames make tool messages of what is thrown. One that is
 * small enough is the very same error.
 */
export async function boundedFailure(references: References, call: WrappedCall, error: unknown): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const result = { status: 'error' as const, content: [{ text: error.message }] };
  const kept = await references.keep(call, { kind: 'result', result });
  if (kept === null) return error;
  const bounded = new Error(joinedText(kept.content));
  bounded.name = error.name;
  return bounded;
}
