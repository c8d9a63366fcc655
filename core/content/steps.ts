import { setImmediate as breathe } from 'node:timers/promises';

/** Work that can be left and taken up again after each step; every step takes well under a few milliseconds. */
export type Steps<T> = Generator<void, T>;

/** Milliseconds of work after which other work of the process gets its turn. */
const stretchMs = 5;

/** All steps at once. */
export function inOneGo<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The first steps at once; the process is left to others every few milliseconds. */
export async function inStretches<T>(steps: Steps<T>): Promise<T> {
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < stretchMs) continue;
    await breathe();
    since = performance.now();
  }
}
