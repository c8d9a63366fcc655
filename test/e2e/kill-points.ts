import type { FaultKind } from '../../local/fault-proxy.ts';

/** Where a function is ended: at which of its requests, and before or after the service has done what it was asked. */
export interface KillPoint {
  readonly kind: Extract<FaultKind, 'die-before' | 'die-after'>;
  readonly place: string;
  /** The how-manyth request of that place in the run, from 1. */
  readonly occurrence: number;
}

/** What changes something: a write, an upload, the start of an execution, the invocation of another function. */
const effects = /PutItem|UpdateItem|DeleteItem|Transact|s3 PUT|completion|StartExecution|other POST/;

/**
 * The points in one function's requests of a run: before its first effect, after it, after each kind of write to the
 * store, after each invocation of another function, and after its last effect (everything is done but the answer). A
 * function without effects: before its first request and after its last.
 */
export function killPoints(places: readonly string[]): readonly KillPoint[] {
  const changing = places.flatMap((place, at) => (effects.test(place) ? [at] : []));
  const invoking = changing.filter((at) => places[at]?.startsWith('other POST'));
  const storing = changing.filter((at) => places[at]?.startsWith('s3 ') && places.indexOf(places[at] ?? '') === at);
  const first = changing[0] ?? 0;
  const last = changing.at(-1) ?? places.length - 1;
  const after = [
    ...new Set([...(changing.length === 0 ? [] : [first]), ...[...invoking, ...storing].sort((a, b) => a - b), last]),
  ];
  return [{ kind: 'die-before' as const, at: first }, ...after.map((at) => ({ kind: 'die-after' as const, at }))].map(
    ({ kind, at }) => ({
      kind,
      place: places[at] ?? '',
      occurrence: places.slice(0, at + 1).filter((place) => place === places[at]).length,
    }),
  );
}
