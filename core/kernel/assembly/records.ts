import { columnBytes, columnCursor, columnStamp, columns, valueBytes } from './memory';
import { afterBlanks, setLines } from './tokens';
import { nextRecord, object, stamp, value } from './value';

export * from './memory';
export { doubleOf } from './decimal';
export { sawLineFeed } from './tokens';

/** Records of the last `run`, and where the first of them starts. */
export let count: i32 = 0;
export let firstStart: usize = 0;

/**
 * Reads whole records from `from` on that start before `stop`, at most `most` of them, each with the comma or the line
 * feed behind it. Answers the position after the last that was ordinary in every way; the next one is for others to
 * read. `root`: the tree of the records' columns; `whole`: the column of records that are no objects; `known`: how many
 * columns there are.
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
  count = 0;
  while (count < most) {
    let at = afterBlanks(done);
    if (at >= stop) break;
    if (count == 0) firstStart = at;
    nextRecord();
    at = load<u8>(at) == 0x7b ? object(at + 1, root) : value(at, whole);
    if (at) at = afterBlanks(at);
    if (!at || load<u8>(at) != separator) {
      forget(known);
      break;
    }
    done = at + 1;
    count++;
  }
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
