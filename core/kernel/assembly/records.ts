import {
  columnBytes,
  columnCursor,
  columnStamp,
  columns,
  runCount,
  runFirstStart,
  runLineFeed,
  valueBytes,
} from './memory';
import { afterBlanks, sawLineFeed, setLines } from './tokens';
import { nextRecord, object, stamp, value } from './value';

export * from './memory';
export { dates } from './dates';
export { doubleOf } from './decimal';
export { integers, kinds, lengths, numbers, sketch, withoutNulls } from './tally';

/**
 * Reads whole records from `from` on that start before `stop`, at most `most` of them, each with the comma or the line
 * feed behind it. Answers where the next one starts, which is not ordinary in every way and for others to read, or is
 * past `stop`; after `most` of them, the position after the last. What it read is told at `runCount` and after. `root`: the
 * tree of the records' columns; `whole`: the column of records that are no objects; `known`: how many columns there are.
 */
export function run(
  from: usize,
  stop: usize,
  most: i32,
  root: usize,
  whole: usize,
  known: i32,
  asLines: bool,
): usize {
  setLines(asLines);
  const separator: u32 = asLines ? 0x0a : 0x2c;
  let done = from;
  let count = 0;
  while (count < most) {
    const start = afterBlanks(done);
    if (start >= stop) {
      done = start;
      break;
    }
    if (count == 0) store<u32>(runFirstStart, <u32>start);
    nextRecord();
    let at: usize = load<u8>(start) == 0x7b ? object(start + 1, root, false) : value(start, whole);
    if (at) at = afterBlanks(at);
    if (!at || load<u8>(at) != separator) {
      forget(known);
      done = start;
      break;
    }
    done = at + 1;
    count++;
  }
  store<i32>(runCount, count);
  store<i32>(runLineFeed, sawLineFeed);
  return done;
}

/** Nothing stays of a record that was begun in vain. */
function forget(known: i32): void {
  for (let index = 0; index < known; index++) {
    const column: usize = columns + index * columnBytes;
    if (load<i32>(column, columnStamp) != stamp) continue;
    store<u32>(column, load<u32>(column, columnCursor) - valueBytes, columnCursor);
  }
}
