import { ClaimcheckError } from '../core/errors.ts';
import { isConditionFailure } from './dynamo-query.ts';

/** With six writers on one chat a round trip of 10 ms loses a few races; fourteen tries end well under a minute. */
const attempts = 14;
const firstDelayMs = 10;
const longestDelayMs = 1_000;

/**
 * Repeats an optimistic write while its version condition fails: exponential back-off with full jitter, bounded.
 * Throws `StorageUnavailable` when the last try fails too.
 */
export async function collisionRetry<T>(
  attempt: () => Promise<T>,
  options: { readonly wait?: ((milliseconds: number) => Promise<void>) | undefined } = {},
): Promise<T> {
  const wait = options.wait ?? sleep;
  for (let tried = 1; ; tried += 1) {
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
      await wait(Math.random() * Math.min(longestDelayMs, firstDelayMs * 2 ** tried));
    }
  }
}

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
