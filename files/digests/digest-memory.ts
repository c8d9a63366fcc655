/** Bodies that can be hashed at once; each has a ring of slots of its own. */
export const ringCount = 4;
/** A power of two, since the counts of slots wrap around. */
export const slotCount = 16;
/** As wide as the first chunks of the schedule, whose sizes only double: a slot never holds parts of two chunks. */
export const slotBytes = 64 * 1024;
export const digestBytes = 32;

/** Flags of a slot: it begins a body, ends a chunk whose digest is made already, ends one whose is not, ends the body. */
export const slotFlags = { beginsBody: 1, hashedChunk: 2, endsChunk: 4, endsBody: 8 } as const;

/** Words: the bell that wakes the thread, whether it stands ready, and whether it waits for the bell. Then each ring's. */
export const bellWord = 0;
export const readyWord = 1;
export const asleepWord = 2;
const sharedWords = 3;
/**
 * Words of a ring: slots filled and slots done since the start; the file that its body is written to (`fileWord` and on:
 * `slot-file.ts`); then bytes and flags of every slot.
 */
export const filledWord = 0;
export const doneWord = 1;
/** Descriptor + 1; 0: there is no file. */
export const fileWord = 2;
/** The first slot of the body that the file is of. */
export const fileSlotWord = 3;
/** Bytes at the start of the body that are written by others. */
export const fileStartWord = 4;
/** Descriptor + 1 of the file that is being written this moment; 0: none. */
export const writingWord = 5;
/** The system's number of what went wrong with the file (negative, as `errno` of Node's errors); 0: nothing. */
export const troubleWord = 6;
export const slotWord = 7;
const ringWords = slotWord + 2 * slotCount;

export const wordCount = sharedWords + ringCount * ringWords;
/** A ring's digests: of the chunk that each slot ended, then of the body. */
const ringDigests = (slotCount + 1) * digestBytes;
const ringSlots = slotCount * slotBytes;
const digestsStart = 4 * wordCount;
const slotsStart = pageAfter(digestsStart + ringCount * ringDigests);

/** What both threads see. A ring that was never used costs address space alone. */
export const memoryBytes = slotsStart + ringCount * ringSlots;

export interface RingPlace {
  /** Index of its first word. */
  readonly words: number;
  /** Byte offset of its first digest, and of its first slot. */
  readonly digests: number;
  readonly slots: number;
}

export const ringPlaces: readonly RingPlace[] = Array.from({ length: ringCount }, (_, ring) => ({
  words: sharedWords + ring * ringWords,
  digests: digestsStart + ring * ringDigests,
  slots: slotsStart + ring * ringSlots,
}));

function pageAfter(offset: number): number {
  return Math.ceil(offset / 4096) * 4096;
}
