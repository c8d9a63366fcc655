import {
  bellWord,
  digestBytes,
  filledWord,
  hashedWord,
  readyWord,
  ringPlaces,
  slotBytes,
  slotCount,
  slotFlags,
  slotWord,
  wordCount,
} from './digest-memory.ts';

/**
 * What the thread runs, as text, so that it starts in the same way from sources, a bundle and the package. It waits for
 * the bell, takes a slot of every ring in turn, and never returns to an event loop. Which bytes are a chunk it is told.
 */
export const digestThreadProgram = `'use strict';
const { createHash } = require('node:crypto');
const { workerData: memory } = require('node:worker_threads');
const words = new Int32Array(memory, 0, ${wordCount});
const bytesAt = (offset, each) => (_, at) => new Uint8Array(memory, offset + at * each, each);

function stepOf({ words: first, digests: digestsAt, slots: slotsAt }) {
  const slots = Array.from({ length: ${slotCount} }, bytesAt(slotsAt, ${slotBytes}));
  const digests = Array.from({ length: ${slotCount + 1} }, bytesAt(digestsAt, ${digestBytes}));
  let whole = null;
  let chunk = null;
  return () => {
    const count = Atomics.load(words, first + ${hashedWord});
    if (Atomics.load(words, first + ${filledWord}) === count) return false;
    const at = count & ${slotCount - 1};
    const length = words[first + ${slotWord} + 2 * at];
    const flags = words[first + ${slotWord} + 2 * at + 1];
    if ((flags & ${slotFlags.beginsBody}) !== 0) {
      whole = createHash('sha256');
      chunk = null;
    }
    const bytes = length === ${slotBytes} ? slots[at] : slots[at].subarray(0, length);
    whole.update(bytes);
    if ((flags & ${slotFlags.hashedChunk}) === 0) chunk = (chunk ?? createHash('sha256')).update(bytes);
    if ((flags & ${slotFlags.endsChunk}) !== 0) {
      digests[at].set(chunk.digest());
      chunk = null;
    }
    if ((flags & ${slotFlags.endsBody}) !== 0) digests[${slotCount}].set(whole.digest());
    Atomics.store(words, first + ${hashedWord}, (count + 1) | 0);
    Atomics.notify(words, first + ${hashedWord});
    return true;
  };
}

const steps = ${JSON.stringify(ringPlaces)}.map(stepOf);
Atomics.store(words, ${readyWord}, 1);
for (;;) {
  const rung = Atomics.load(words, ${bellWord});
  let worked = false;
  for (const step of steps) worked = step() || worked;
  if (!worked) Atomics.wait(words, ${bellWord}, rung);
}
`;
