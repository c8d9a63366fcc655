/** Where the machine stands; also what a cut text was cut in. */
export const State = {
  value: 0,
  firstElement: 1,
  firstKey: 2,
  key: 3,
  colon: 4,
  after: 5,
  string: 6,
  keyString: 7,
  escape: 8,
  hex: 9,
  minus: 10,
  zero: 11,
  integer: 12,
  point: 13,
  fraction: 14,
  exponent: 15,
  exponentSign: 16,
  exponentDigits: 17,
  literal: 18,
  done: 19,
  /** After a fault inside a list's element: brackets and strings only, up to the element's end. */
  lost: 20,
  lostString: 21,
  lostEscape: 22,
  /** After a fault in a line: up to the line's end. */
  lostLine: 23,
  dead: 24,
} as const;

/** Bytes that a string passes over without a closer look: all but the quote, the backslash and control characters. */
export const plain = new Uint8Array(256).map((_, byte) => (byte >= 0x20 && byte !== 0x22 && byte !== 0x5c ? 1 : 0));
/** Separators that may stand between tokens. */
export const blank = new Uint8Array(256);
for (const byte of [0x20, 0x0a, 0x0d, 0x09]) blank[byte] = 1;

export function isEscape(c: number): boolean {
  return c === 0x22 || c === 0x5c || c === 0x2f || c === 0x62 || c === 0x66 || c === 0x6e || c === 0x72 || c === 0x74;
}

export function isHex(c: number): boolean {
  return (c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66);
}
