import { ClaimcheckError } from '../core/errors.ts';
import { isConditionFailure } from './dynamo-query.ts';

const attempts = 20;
const firstDelayMs = 10;
const longestDelayMs = 3_000;

/**
 * Repeats an optimistic write while its version condition fails: exponential back-off with full jitter, bounded. It
 * starts from what one attempt takes: writers that wait less than that only meet again.
 * Throws `StorageUnavailable` when the last try fails too.
 */
export async function collisionRetry<T>(
  attempt: () => Promise<T>,
  options: { readonly wait?: ((milliseconds: number) => Promise<void>) | undefined } = {},
): Promise<T> {
  const wait = options.wait ?? sleep;
  for (let tried = 1; ; tried += 1) {
    const started = performance.now();
    try {
      return await attempt();
    } catch (error) {
      if (!isConditionFailure(error)) throw error;
      if (tried === attempts) {
        throw new ClaimcheckError(
          'StorageUnavailable',
          'the chat is being written by too many runs at once',
          {
            attempts,
          },
          { cause: error },
        );
      }
      const first = Math.max(firstDelayMs, performance.now() - started);
      await wait(Math.random() * Math.min(longestDelayMs, first * 2 ** Math.min(tried, 5)));
    }
  }
}

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
