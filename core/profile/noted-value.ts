/**
 * How values wait to be counted: eight words each, the same staged in a column (`Column.stage`) and in the kernel's memory
 * (`core/kernel/assembly/memory.ts`). Numbers of words from a value's first; that one holds its kind (`kind.ts`) and marks.
 */
export const noted = {
  words: 8,
  kindMask: 0xff,
  /** An integer of at most 15 digits, which its double prints as it came; of a boolean: true. */
  plain: 0x100,
  /** Above: how a string's bytes differ from what it means (`escapes`). */
  escapesShift: 16,
  hash1: 1,
  hash2: 2,
  /** Its bytes in the buffer at hand: of a string, those between its quotes. */
  start: 3,
  end: 4,
  /** Bytes of a string's meaning, elements of an array. */
  length: 5,
  /** A double: two words. */
  number: 6,
} as const;
