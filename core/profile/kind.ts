/** What a value is, as small numbers for the hot path; names only at the end. */
export const kind = {
  none: 0,
  null: 1,
  boolean: 2,
  integer: 3,
  number: 4,
  string: 5,
  array: 6,
  object: 7,
} as const;

/** How a string's bytes differ from what it means. */
export const escapes = { none: 0, json: 1, csv: 2 } as const;
