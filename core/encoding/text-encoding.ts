import { isAscii } from 'node:buffer';
import { storedBytes } from '../content/well-formed.ts';
import { type Utf8Kernel, utf8Kernel } from './utf8-kernel.ts';

/** Most characters of a part. */
export const partLimit = 32 * 1024;

const encoder = new TextEncoder();
/** A character that takes more than one byte in the engine's memory. Where the text has none such, told in no time. */
const wide = /[^\0-\xff]/;

/**
 * Writes one text's parts as they are stored (`storedBytes`), in the way that was right for the part before. A part is
 * at most `partLimit` characters and does not end inside a pair.
 */
export class TextEncoding {
  readonly #kernel: () => Utf8Kernel | null;
  #ascii = true;
  #latin1 = true;

  constructor(kernel = utf8Kernel) {
    this.#kernel = kernel;
  }

  /** Writes the part's bytes from `at` on, where three for each character have room; answers how many. */
  write(part: string, to: Buffer, at: number): number {
    // A look at every part of a wide text would take longer than to encode it.
    this.#latin1 &&= !wide.test(part);
    if (this.#latin1 && this.#ascii) {
      const bytes = to.write(part, at, 'latin1');
      if (isAscii(to.subarray(at, at + bytes))) return bytes;
      this.#ascii = false;
    }
    const kernel = this.#kernel();
    if (kernel === null) return withoutKernel(part, to, at);
    const made = this.#latin1 ? kernel.latin1(part) : kernel.utf16(part);
    to.set(made, at);
    return made.length;
  }
}

function withoutKernel(part: string, to: Buffer, at: number): number {
  if ((part as string & { isWellFormed(): boolean }).isWellFormed()) {
    return encoder.encodeInto(part, to.subarray(at)).written;
  }
  const bytes = storedBytes(part);
  to.set(bytes, at);
  return bytes.length;
}
