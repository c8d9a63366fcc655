import { readFileSync, writeSync } from 'node:fs';

const answerDescriptor = 3;

/** The work that the engine's process wrote on standard input. */
export function readWork<T>(): T {
  return JSON.parse(readFileSync(0, 'utf8')) as T;
}

/** Answers on descriptor 3, whole, and ends the process at once: nothing is waited for. */
export function answerAndExit(answer: unknown): never {
  writeWhole(answerDescriptor, Buffer.from(JSON.stringify(answer), 'utf8'));
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
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
