import type { Kept } from '../store/keeping.ts';
import { joinedText } from './conversation-guard.ts';
import type { Produced } from './tool-source.ts';

/**
 * A thrown failure whose words are within the tool's budget: frames make tool messages of what is thrown. One that is
 * small enough is the very same error. `keep`: what becomes of a result of this call.
 */
export async function boundedFailure(
  error: unknown,
  keep: (failed: Produced) => Promise<Kept | null>,
): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const result = { status: 'error' as const, content: [{ text: error.message }] };
  const kept = await keep({ kind: 'result', result });
  if (kept === null) return error;
  const bounded = new Error(joinedText(kept.content));
  bounded.name = error.name;
  return bounded;
}
