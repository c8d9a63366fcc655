import {
  asleepWord,
  bellWord,
  digestBytes,
  doneWord,
  fileSlotWord,
  fileStartWord,
  fileWord,
  filledWord,
  readyWord,
  ringPlaces,
  slotBytes,
  slotCount,
  slotFlags,
  slotWord,
  troubleWord,
  wordCount,
  writingWord,
} from './digest-memory.ts';

/** `EIO`: what is said of trouble that has no number of the system's. */
const unknownTrouble = -5;

/**
 * What the thread runs, as text, so that it starts in the same way from sources, a bundle and the package. It waits for
 * the bell, takes a slot of every ring in turn, and never returns to an event loop. Which bytes are a chunk it is told,
 * and which file they are written to, if any (`thread-file.ts`).
 */
export const digestThreadProgram = `'use strict';
const { createHash } = require('node:crypto');
const { writeSync } = require('node:fs');
const { workerData: memory } = require('node:worker_threads');
const words = new Int32Array(memory, 0, ${wordCount});
const bytesAt = (offset, each) => (_, at) => new Uint8Array(memory, offset + at * each, each);

function stepOf({ words: first, digests: digestsAt, slots: slotsAt }) {
  const slots = Array.from({ length: ${slotCount} }, bytesAt(slotsAt, ${slotBytes}));
  const digests = Array.from({ length: ${slotCount + 1} }, bytesAt(digestsAt, ${digestBytes}));
  let whole = null;
  let chunk = null;
  let offset = 0;

  /** The file that slot number 'count' goes to, which nobody closes until it is said not to be written; -1: none. */
  function fileOf(count) {
    for (;;) {
      const file = Atomics.load(words, first + ${fileWord});
      if (file === 0) return -1;
      Atomics.store(words, first + ${writingWord}, file);
      if (Atomics.load(words, first + ${fileWord}) === file) {
        // What a body that was given up has left in the ring goes nowhere.
        const own = ((count - Atomics.load(words, first + ${fileSlotWord})) | 0) >= 0;
        if (own && Atomics.load(words, first + ${troubleWord}) === 0) return file - 1;
        Atomics.store(words, first + ${writingWord}, 0);
        return -1;
      }
      Atomics.store(words, first + ${writingWord}, 0);
    }
  }

  function keep(bytes, count) {
    const file = fileOf(count);
    if (file < 0) return;
    try {
      let at = Math.max(0, Atomics.load(words, first + ${fileStartWord}) - offset);
      while (at < bytes.length) at += writeSync(file, bytes, at, bytes.length - at, offset + at);
    } catch (error) {
      Atomics.store(words, first + ${troubleWord}, error.errno < 0 ? error.errno : ${unknownTrouble});
    }
    Atomics.store(words, first + ${writingWord}, 0);
  }

  return () => {
    const count = Atomics.load(words, first + ${doneWord});
    if (Atomics.load(words, first + ${filledWord}) === count) return false;
    const at = count & ${slotCount - 1};
    const length = words[first + ${slotWord} + 2 * at];
    const flags = words[first + ${slotWord} + 2 * at + 1];
    if ((flags & ${slotFlags.beginsBody}) !== 0) {
      whole = createHash('sha256');
      chunk = null;
      offset = 0;
    }
    const bytes = length === ${slotBytes} ? slots[at] : slots[at].subarray(0, length);
    keep(bytes, count);
    offset += length;
    whole.update(bytes);
    if ((flags & ${slotFlags.hashedChunk}) === 0) chunk = (chunk ?? createHash('sha256')).update(bytes);
    if ((flags & ${slotFlags.endsChunk}) !== 0) {
      digests[at].set(chunk.digest());
      chunk = null;
    }
    if ((flags & ${slotFlags.endsBody}) !== 0) digests[${slotCount}].set(whole.digest());
    Atomics.store(words, first + ${doneWord}, (count + 1) | 0);
    Atomics.notify(words, first + ${doneWord});
    return true;
  };
}

const steps = ${JSON.stringify(ringPlaces)}.map(stepOf);
Atomics.store(words, ${readyWord}, 1);
for (;;) {
  const rung = Atomics.load(words, ${bellWord});
  let worked = false;
  for (const step of steps) worked = step() || worked;
  if (worked) continue;
  Atomics.store(words, ${asleepWord}, 1);
  Atomics.wait(words, ${bellWord}, rung);
  Atomics.store(words, ${asleepWord}, 0);
}
`;
