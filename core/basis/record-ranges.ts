import type { RecordRange } from './basis.ts';

/** Sorted, joined, without overlap: 0–50 and 30–80 is 0–80. Empty and inverted ranges vanish. */
export function unionOf(ranges: readonly RecordRange[]): readonly RecordRange[] {
  const sorted = ranges.filter(([start, end]) => end > start).sort((one, other) => one[0] - other[0]);
  const joined: [number, number][] = [];
  for (const [start, end] of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

export function countOf(ranges: readonly RecordRange[]): number {
  return unionOf(ranges).reduce((sum, [start, end]) => sum + end - start, 0);
}
