/** A value this large is milliseconds that somebody wrote by mistake: read as what was meant. */
const leastMilliseconds = 100_000_000_000;

/** A chat's date in whole seconds since 1970, as TTL wants it. */
export function expirySeconds(expiresAt: number): number {
  return expiresAt > leastMilliseconds ? Math.floor(expiresAt / 1000) : expiresAt;
}

/** Is a chat past its date? The table deletes days late, so readers decide by this. */
export function hasPassed(expiresAt: number | undefined, now: Date): boolean {
  return expiresAt !== undefined && expirySeconds(expiresAt) <= now.getTime() / 1000;
}
