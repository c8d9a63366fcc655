/**
 * Pause before the next execution, in milliseconds: exponential with full jitter (DESIGN 9). `attempt` is the one that
 * failed, from 1; `random` answers numbers in [0, 1).
 */
export function backoffMs(
  attempt: number,
  limits: { readonly baseDelayMs: number; readonly maxDelayMs: number },
  random: () => number,
): number {
  return Math.floor(random() * Math.min(limits.maxDelayMs, limits.baseDelayMs * 2 ** (attempt - 1)));
}
