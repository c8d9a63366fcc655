import type { ListFrame } from '../scan/body-scan.ts';
import { type JsonEvents, JsonMachine } from '../scan/json-machine.ts';
import { markOddValues } from '../scan/odd-values.ts';
import { asBuffer, mended } from './fitting.ts';

/** What stands before and after the records of a list in a preview, from the document's first bracket to its last. */
export interface Skeleton {
  /** Ends with the list's `[`. */
  readonly before: Buffer;
  /** Starts with the list's `]`. */
  readonly after: Buffer;
  readonly size: number;
  /** Nothing around the list is left out. */
  readonly whole: boolean;
}

/** A value beside the list of rows that is longer than this is left out with a mark. */
const maxSiblingBytes = 1024;
/** A skeleton longer than this gives way to the bare path: the budget is for records. */
const maxSkeletonBytes = 4096;

/**
 * The tool's own bytes around its list, long values marked as left out; null when they are not at hand or too many.
 * `head` are the document's first bytes, `start` its first byte's offset, `open` the offset of the list's `[`.
 * Nothing here depends on a budget, so a growing budget never meets another skeleton.
 */
export function ownSkeleton(
  head: Uint8Array,
  start: number,
  open: number,
  frame: ListFrame,
  odd: boolean,
): Skeleton | null {
  if (open >= head.length) return null;
  const prefix = withoutLongValues(head.subarray(start, open + 1));
  const tail = frame.tail === null ? markedClosers(frame) : frame.tail;
  if (prefix === null || tail === null) return null;
  const before = mended(odd ? markOddValues(prefix.bytes) : prefix.bytes);
  const after = Buffer.concat([Buffer.from(']'), mended(odd ? markOddValues(tail) : tail)]);
  const size = before.length + after.length;
  if (size > maxSkeletonBytes) return null;
  return { before, after, size, whole: prefix.whole && frame.tail !== null };
}

/** Only the keys that lead to the list; null when the list lies too deep. */
export function bareSkeleton(frame: ListFrame): Skeleton | null {
  const tail = closers(frame.keys);
  if (tail === null || frame.keys === null) return null;
  const parts: Uint8Array[] = [];
  for (const key of frame.keys) {
    if (key === null) parts.push(Buffer.from('['));
    else parts.push(Buffer.from('{"'), mended(key), Buffer.from('":'));
  }
  const before = Buffer.concat([...parts, Buffer.from('[')]);
  const after = Buffer.concat([Buffer.from(']'), tail]);
  return { before, after, size: before.length + after.length, whole: false };
}

function closers(keys: ListFrame['keys']): Buffer | null {
  if (keys === null) return null;
  return Buffer.from(
    keys
      .map((key) => (key === null ? ']' : '}'))
      .reverse()
      .join(''),
  );
}

/** For a tail that is too long to keep: a mark that something follows the list, and the closing brackets. */
function markedClosers(frame: ListFrame): Buffer | null {
  const closing = closers(frame.keys);
  if (closing === null || frame.keys === null || frame.tailBytes <= closing.length) return closing;
  const mark = `[${frame.tailBytes - closing.length} bytes left out]`;
  return Buffer.concat([Buffer.from(frame.keys.at(-1) === null ? `,"…${mark}"` : `,"…":"${mark}"`), closing]);
}

function withoutLongValues(prefix: Uint8Array): { readonly bytes: Uint8Array; readonly whole: boolean } | null {
  const starts: number[] = [];
  const cuts: { start: number; end: number }[] = [];
  const events: JsonEvents = {
    valueStart: (at, depth) => {
      starts[depth] = at;
    },
    valueEnd: (end, depth) => {
      const start = starts[depth] as number;
      if (end - start <= maxSiblingBytes) return;
      while (cuts.length > 0 && (cuts.at(-1) as { start: number }).start >= start) cuts.pop();
      cuts.push({ start, end });
    },
    keyPiece: () => {},
    trailing: () => {},
    lineEnd: () => {},
  };
  if (prefix.length <= maxSiblingBytes) return { bytes: prefix, whole: true };
  const machine = new JsonMachine(events, {});
  machine.write(prefix, 0, prefix.length);
  if (machine.fault >= 0) return null;
  const parts: Uint8Array[] = [];
  let copied = 0;
  for (const { start, end } of cuts) {
    parts.push(prefix.subarray(copied, start), Buffer.from(`"…[${end - start} bytes left out]"`));
    copied = end;
  }
  parts.push(prefix.subarray(copied));
  return { bytes: asBuffer(Buffer.concat(parts)), whole: cuts.length === 0 };
}
