/**
 * Classes of characters by what they cost in tokens (docs/estimator.md has the measurements). ASCII is judged by the
 * window it stands in; the others by themselves.
 */
export const characterClass = {
  lower: 0,
  upper: 1,
  digit: 2,
  mark: 3,
  space: 4,
  /** Latin with accents and Cyrillic: 2 bytes. */
  alphabet2: 5,
  /** Latin with two accents, Vietnamese above all: 3 bytes. */
  alphabet3: 6,
  /** Han, kana, Hangul, typographic marks: 3 bytes. */
  cjk: 7,
  greek: 8,
  /** Joiners and variation selectors inside emoji: 3 bytes. */
  emojiPart: 9,
  surrogate: 10,
  other2: 11,
  other3: 12,
} as const;

const c = characterClass;

/** Class of every UTF-16 code unit. */
export const classOf = new Uint8Array(65_536);

const ranges: readonly (readonly [first: number, last: number, kind: number])[] = [
  [0x0000, 0x0020, c.space],
  [0x0021, 0x007f, c.mark],
  [0x0030, 0x0039, c.digit],
  [0x0041, 0x005a, c.upper],
  [0x0061, 0x007a, c.lower],
  [0x0080, 0x07ff, c.other2],
  [0x0800, 0xffff, c.other3],
  [0x00a0, 0x024f, c.alphabet2],
  [0x0386, 0x03ff, c.greek],
  [0x0400, 0x045f, c.alphabet2],
  [0x0490, 0x0491, c.alphabet2],
  [0x1e00, 0x1eff, c.alphabet3],
  [0x2010, 0x2026, c.cjk],
  [0x200d, 0x200d, c.emojiPart],
  [0xfe0f, 0xfe0f, c.emojiPart],
  [0x3000, 0x3002, c.cjk],
  [0x3008, 0x3011, c.cjk],
  [0x3041, 0x3096, c.cjk],
  [0x30a1, 0x30fe, c.cjk],
  [0x4e00, 0x9fff, c.cjk],
  [0xac00, 0xd7a3, c.cjk],
  [0xd800, 0xdfff, c.surrogate],
  [0xff01, 0xff01, c.cjk],
  [0xff08, 0xff09, c.cjk],
  [0xff0c, 0xff0c, c.cjk],
  [0xff1a, 0xff1b, c.cjk],
  [0xff1f, 0xff1f, c.cjk],
];
for (const [first, last, kind] of ranges) classOf.fill(kind, first, last + 1);
