import { characterClass as c, classOf } from './character-classes.ts';

/**
 * UTF-8 bytes per token that the estimate assumes (DESIGN 8), by content class. Each is below what four public
 * tokenizers were measured at (docs/estimator.md), so the estimate is never below their count.
 */
export const bytesPerToken = {
  /** Latin, Cyrillic and CJK words, JSON, code. */
  words: 1.84,
  /** base64, hex, UUIDs, digit-dense text, emoji; Greek and Vietnamese letters, which one tokenizer splits as much. */
  dense: 1.3,
  /** Every other script: a byte is the least that any byte-level tokenizer can split off. */
  other: 1,
} as const;

/** ASCII is judged in windows of this many characters, so one base64 value in a long text counts as what it is. */
const windowCharacters = 120;
/**
 * A window is dense from this share of digits and of changes between upper case, lower case and digits. Prose has
 * 0.03, JSON of words 0.1, base64 0.8, hex 1.1. A fifth of base64 among JSON still stays below 1.84 bytes a token.
 */
const denseShare = 0.16;
/** Marks alone, or capitals alone, make a window dense from this share: few of their pairs are tokens. */
const marksShare = 0.6;
const capitalsShare = 0.5;
/** From so many bytes of other scripts a character on, the ASCII between them (spaces, mostly) is no cheaper. */
const otherShare = 0.5;

/** What the scanner remembers of the character before: its class, and its place in a group of three digits. */
const state = { lower: 0, upper: 1, digit1: 2, digit2: 3, digit3: 4, mark: 5, space: 6, wide: 7 } as const;

/**
 * What one ASCII character adds, by state and class, as four counters packed into one integer: digits and changes
 * (8 bits), pieces (8), marks (7), capitals (7); a window's 120 characters fill none of them. Pieces are tokens that
 * every such tokenizer must make: digits in groups of three at most, words, and what stands before a digit.
 */
const adds = new Int32Array(8 * 8);
/** The state after it, as the offset of its row. */
const nextRow = new Uint8Array(8 * 8);
for (let before = 0; before < 8; before += 1) {
  const wasDigit = before >= state.digit1 && before <= state.digit3;
  const wasLetter = before <= state.upper;
  for (const kind of [c.lower, c.upper, c.digit, c.mark, c.space]) {
    let next: number = kind === c.mark ? state.mark : state.space;
    let dense = 0;
    let pieces = 0;
    if (kind === c.digit) {
      next = before === state.digit1 ? state.digit2 : before === state.digit2 ? state.digit3 : state.digit1;
      dense = wasLetter ? 2 : 1;
      if (next === state.digit1) pieces = wasDigit || wasLetter ? 1 : 2;
    } else if (kind === c.lower || kind === c.upper) {
      next = kind === c.lower ? state.lower : state.upper;
      dense = wasDigit || (wasLetter && before !== next) ? 1 : 0;
      pieces = wasLetter ? 0 : 1;
    }
    nextRow[before * 8 + kind] = next * 8;
    adds[before * 8 + kind] =
      dense | (pieces << 8) | ((kind === c.mark ? 1 : 0) << 16) | ((kind === c.upper ? 1 : 0) << 23);
  }
}

/** Estimated tokens of a text, not rounded. One pass over the characters; nothing is copied. */
export function textTokens(text: string): number {
  const length = text.length;
  let tokens = 0;
  for (let from = 0; from < length; from += windowCharacters) {
    tokens += windowTokens(text, from, Math.min(from + windowCharacters, length));
  }
  return tokens;
}

function windowTokens(text: string, from: number, to: number): number {
  let counters = 0;
  let row: number = state.space * 8;
  let wide = 0;
  let wordBytes = 0;
  let denseBytes = 0;
  let otherBytes = 0;
  for (let at = from; at < to; at += 1) {
    const unit = text.charCodeAt(at);
    const kind = classOf[unit] as number;
    if (kind <= c.space) {
      const entry = row + kind;
      counters += adds[entry] as number;
      row = nextRow[entry] as number;
      continue;
    }
    row = state.wide * 8;
    wide += 1;
    if (kind === c.cjk) wordBytes += 3;
    else if (kind === c.alphabet2) wordBytes += 2;
    else if (kind === c.other3) otherBytes += 3;
    else if (kind === c.other2) otherBytes += 2;
    else if (kind === c.greek) denseBytes += 2;
    else if (kind === c.emojiPart || kind === c.alphabet3) denseBytes += 3;
    // A pair is counted in two halves of two bytes; a lone one becomes U+FFFD, which is hardly more.
    else if (isEmojiHalf(text, at, unit)) denseBytes += 2;
    else otherBytes += 2;
  }
  const characters = to - from;
  const ascii = characters - wide;
  const asciiTokens = ascii / asciiBytesPerToken(counters, ascii, characters, otherBytes);
  return (
    Math.max(asciiTokens, (counters >> 8) & 0xff) +
    wordBytes / bytesPerToken.words +
    denseBytes / bytesPerToken.dense +
    otherBytes / bytesPerToken.other
  );
}

function asciiBytesPerToken(counters: number, ascii: number, characters: number, otherBytes: number): number {
  if (otherBytes >= otherShare * characters) return bytesPerToken.other;
  const isDense =
    (counters & 0xff) >= denseShare * ascii ||
    ((counters >> 16) & 0x7f) >= marksShare * characters ||
    counters >> 23 >= capitalsShare * ascii;
  return isDense ? bytesPerToken.dense : bytesPerToken.words;
}

/** High halves D83C to D83E begin U+1F000 to U+1FBFF: the emoji, and little else. */
function isEmojiHalf(text: string, at: number, unit: number): boolean {
  const high = unit < 0xdc00 ? unit : text.charCodeAt(at - 1);
  return high >= 0xd83c && high <= 0xd83e;
}
