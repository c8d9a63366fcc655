import { partLimit, TextEncoding } from '../encoding/text-encoding.ts';

/** Bytes of a piece: as many as are scanned, hashed and indexed at a time. */
const pieceBytes = 64 * 1024;

/**
 * Texts as one UTF-8 body, in pieces of 64 KiB that share one buffer: a piece is not needed once the next is asked for.
 * A lone surrogate keeps its own bytes, as everywhere in what is stored; a pair is never cut in two, though its bytes may
 * be.
 */
export function* textBytes(texts: Iterable<string>): Generator<Uint8Array> {
  // Fresh memory is what costs: one buffer is used over and over.
  const buffer = Buffer.allocUnsafeSlow(pieceBytes + 3 * partLimit);
  let used = 0;
  for (const text of texts) {
    const encoding = new TextEncoding();
    for (let from = 0; from < text.length; ) {
      let to = Math.min(from + partLimit, text.length);
      if (to < text.length && isHighHalf(text.charCodeAt(to - 1))) to -= 1;
      used += encoding.write(from === 0 && to === text.length ? text : text.slice(from, to), buffer, used);
      from = to;
      let given = 0;
      for (; used - given >= pieceBytes; given += pieceBytes) yield buffer.subarray(given, given + pieceBytes);
      if (given > 0) buffer.copyWithin(0, given, used);
      used -= given;
    }
  }
  if (used > 0) yield buffer.subarray(0, used);
}

function isHighHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
