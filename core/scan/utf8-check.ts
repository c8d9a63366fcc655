import { isUtf8 } from 'node:buffer';

/** Whether a body is UTF-8, in pieces cut anywhere; where it is not, the offset of the first byte that is none. */
export class Utf8Check {
  /** Offset of the first fault, or -1. */
  fault = -1;
  #offset = 0;
  /** The beginning of a character that the last piece cut. */
  #cut: Uint8Array = new Uint8Array(0);

  write(piece: Uint8Array): void {
    if (this.fault >= 0) return;
    const bytes = this.#cut.length === 0 ? piece : Buffer.concat([this.#cut, piece]);
    const start = this.#offset - this.#cut.length;
    const whole = bytes.length - cutCharacter(bytes);
    if (!isUtf8(bytes.subarray(0, whole))) this.fault = start + firstFault(bytes.subarray(0, whole));
    // The piece is about to be overwritten.
    this.#cut = new Uint8Array(bytes.subarray(whole));
    this.#offset += piece.length;
  }

  end(): void {
    if (this.fault < 0 && this.#cut.length > 0) this.fault = this.#offset - this.#cut.length;
  }
}

/** Bytes at the end that begin a character and do not end it. */
function cutCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return wanted > back ? back : 0;
    }
  }
  return 0;
}

/** By halves: the beginning that is UTF-8, apart from a character that the cut halves. */
function firstFault(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const part = bytes.subarray(0, middle);
    if (isUtf8(part.subarray(0, middle - cutCharacter(part)))) good = middle;
    else bad = middle;
  }
  // A character that breaks off is found at its second byte: the fault is where it begins.
  return good - cutCharacter(bytes.subarray(0, good));
}
