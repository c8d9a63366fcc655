import { ClaimcheckError } from '../errors.ts';

/**
 * A step of the store within `timeoutMs`; throws `StorageUnavailable` when that is over. The step cannot be stopped:
 * what it still does is create-only, and what it throws later is nobody's.
 */
export async function inTime<T>(timeoutMs: number, step: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(timeoutMs)), timeoutMs);
  });
  const running = step();
  running.catch(() => {});
  try {
    return await Promise.race([running, over]);
  } finally {
    clearTimeout(timer);
  }
}

export function tooLate(timeoutMs: number): ClaimcheckError {
  return new ClaimcheckError('StorageUnavailable', `storage: no confirmation within ${timeoutMs} ms`, { timeoutMs });
}
