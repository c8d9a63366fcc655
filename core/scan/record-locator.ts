import type { ResultIndex } from '../store/result-index.ts';
import { chunkStart } from './chunk-schedule.ts';
import type { ChunkTable } from './scan-summary.ts';

/** Where to read for a record. All are byte offsets into the body. */
export interface RecordPlace {
  readonly chunk: number;
  /** Where the chunk starts: what its digest covers from. */
  readonly start: number;
  /** Where the chunk's first record starts: where a `RecordWalker` can begin. */
  readonly recordStart: number;
  /** Records to pass over from there. */
  readonly skip: number;
  /** The records asked for end before this. */
  readonly end: number;
}

/**
 * Where record `number` (counted from 0) is found, and an end before which the `count` records from it on are over. Null
 * past the last record. Costs a binary search, whatever the size of the result.
 */
export function locateRecord(
  index: Pick<ResultIndex, 'chunks' | 'records' | 'bytes'>,
  number: number,
  count = 1,
): RecordPlace | null {
  if (number < 0 || number >= index.records) return null;
  const { recordsBefore, firstOffset } = index.chunks;
  const chunk = chunkOfRecord(index.chunks, number);
  const start = chunkStart(chunk);
  const last = Math.min(index.records, number + Math.max(1, count)) - 1;
  // The next chunk in which a record starts: that record comes after the last one asked for.
  let after = chunkOfRecord(index.chunks, last) + 1;
  while (after < firstOffset.length && firstOffset[after] === -1) after++;
  const end = after < firstOffset.length ? chunkStart(after) + (firstOffset[after] as number) : index.bytes;
  return {
    chunk,
    start,
    recordStart: start + (firstOffset[chunk] as number),
    skip: number - (recordsBefore[chunk] as number),
    end,
  };
}

/** The chunk in which record `number` starts: the last one before which at most so many records start. */
export function chunkOfRecord({ recordsBefore: column }: Pick<ChunkTable, 'recordsBefore'>, number: number): number {
  let low = 0;
  let above = column.length;
  while (above - low > 1) {
    const middle = (low + above) >> 1;
    if ((column[middle] as number) <= number) low = middle;
    else above = middle;
  }
  return low;
}
