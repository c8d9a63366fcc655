import { readFileSync, readSync, writeSync } from 'node:fs';

const answerDescriptor = 3;
const lineFeed = 0x0a;

/** The work that the engine's process wrote on standard input. */
export function readWork<T>(): T {
  return JSON.parse(readFileSync(0, 'utf8')) as T;
}

/** Messages on standard input, a line each, for a program that gets its work bit by bit. */
export class Inbox<T> {
  readonly #piece = Buffer.allocUnsafe(64 * 1024);
  #rest: Buffer = Buffer.alloc(0);

  /** Waits for the next message and answers with all that have come; none: nobody writes any more. */
  take(): readonly T[] {
    for (;;) {
      const bytes = this.#read();
      if (bytes === 0) return [];
      this.#rest = Buffer.concat([this.#rest, this.#piece.subarray(0, bytes)]);
      const end = this.#rest.lastIndexOf(lineFeed);
      if (end < 0) continue;
      const lines = this.#rest.subarray(0, end).toString('utf8').split('\n');
      this.#rest = this.#rest.subarray(end + 1);
      return lines.map((line) => JSON.parse(line) as T);
    }
  }

  #read(): number {
    for (;;) {
      try {
        return readSync(0, this.#piece, 0, this.#piece.length, null);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EOF') return 0;
        if (code !== 'EAGAIN') throw error;
        pause();
      }
    }
  }
}

/** Answers on descriptor 3, whole, with a line end behind it, and ends the process at once: nothing is waited for. */
export function answerAndExit(answer: unknown): never {
  writeWhole(answerDescriptor, Buffer.from(`${JSON.stringify(answer)}\n`, 'utf8'));
  process.exit(0);
}

/** Waits for room in the pipe as often as it has to: nothing else is done meanwhile. */
export function writeWhole(descriptor: number, bytes: Uint8Array): void {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(descriptor, bytes, at, Math.min(64 * 1024, bytes.length - at));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      pause();
    }
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}
