/**
 * Is a chat past its date? `expiresAt` is whole seconds since 1970, as TTL wants it; the table deletes days late, so
 * readers decide by this. A value this large is milliseconds that somebody wrote by mistake: read as what was meant.
 */
export function hasPassed(expiresAt: number | undefined, now: Date): boolean {
  if (expiresAt === undefined) return false;
  const seconds = expiresAt > 100_000_000_000 ? expiresAt / 1000 : expiresAt;
  return seconds <= now.getTime() / 1000;
}
