/**
 * Which of these sessions, the one used longest ago first, makes room for others: the first of the owner who has the
 * most of them, so that nobody opens so many that others lose theirs. There must be one.
 */
export function sessionThatLeaves(sessions: ReadonlyMap<string, { readonly run: { readonly owner: string } }>): string {
  const counts = new Map<string, number>();
  for (const { run } of sessions.values()) counts.set(run.owner, (counts.get(run.owner) ?? 0) + 1);
  const most = Math.max(...counts.values());
  for (const [id, { run }] of sessions) if (counts.get(run.owner) === most) return id;
  throw new RangeError('sessions: expected at least one');
}
