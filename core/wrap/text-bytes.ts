import { storedBytes } from '../content/well-formed.ts';

/** Characters encoded at a time: one buffer is used over and over, since fresh memory is what costs. */
const pieceCharacters = 64 * 1024;

/**
 * Texts as one UTF-8 body, in pieces that share one buffer: a piece is not needed once the next is asked for. A lone
 * surrogate keeps its own bytes, as everywhere in what is stored; a pair is never cut in two.
 */
export function* textBytes(texts: Iterable<string>): Generator<Uint8Array> {
  const buffer = new Uint8Array(pieceCharacters * 3);
  const encoder = new TextEncoder();
  let used = 0;
  for (const text of texts) {
    for (let from = 0; from < text.length; ) {
      let to = Math.min(from + pieceCharacters, text.length);
      if (to < text.length && isHighHalf(text.charCodeAt(to - 1))) to -= 1;
      const part = from === 0 && to === text.length ? text : text.slice(from, to);
      from = to;
      if (part.length * 3 > buffer.length - used) {
        if (used > 0) yield buffer.subarray(0, used);
        used = 0;
      }
      if ((part as string & { isWellFormed(): boolean }).isWellFormed()) {
        used += encoder.encodeInto(part, buffer.subarray(used)).written;
      } else {
        const bytes = storedBytes(part);
        buffer.set(bytes, used);
        used += bytes.length;
      }
    }
  }
  if (used > 0) yield buffer.subarray(0, used);
}

function isHighHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
