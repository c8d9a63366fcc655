import { arraySeed, finish, hashOn, lanes, prime1, prime2, seed1, seed2, stir } from './value-hash.ts';

/** Shape of the array or object that `skipNested` went over. */
export const skipped = { items: 0 };

/** What a byte outside of strings is; 0 for those that scalars are made of. */
const role = { opens: 1, closes: 2, comma: 3, colon: 4, quote: 5, blank: 6 } as const;
const roles = new Uint8Array(256);
for (const [text, is] of [
  ['[{', role.opens],
  [']}', role.closes],
  [',', role.comma],
  [':', role.colon],
  ['"', role.quote],
  [' \t\n\r', role.blank],
] as const) {
  for (const letter of text) roles[letter.charCodeAt(0)] = is;
}

/**
 * Goes over one array or object without looking inside, however deep; `start` is its first bracket. Returns the
 * position after it, or -1 when it does not end before `end`. Leaves its hash in `lanes` and the number of its
 * elements in `skipped`. The hash is of its tokens: white space between them does not count.
 */
export function skipNested(bytes: Uint8Array, start: number, end: number): number {
  let depth = 0;
  let commas = 0;
  let empty = true;
  lanes.hash1 = seed1 ^ arraySeed;
  lanes.hash2 = seed2;
  for (let at = start; at < end; ) {
    const byte = bytes[at] as number;
    const is = roles[byte] as number;
    if (is === role.blank) {
      at += 1;
      continue;
    }
    if (is === 0 || is === role.quote) {
      if (depth === 1) empty = false;
      let to = at + 1;
      if (is === role.quote) {
        to = stringEnd(bytes, at + 1, end);
        if (to < 0) return -1;
        // The quote counts, so that `"1"` is not 1.
        takeToken(byte);
        hashOn(bytes, at + 1, to, lanes.hash1, lanes.hash2);
        at = to + 1;
      } else {
        while (to < end && roles[bytes[to] as number] === 0) to += 1;
        hashOn(bytes, at, to, lanes.hash1, lanes.hash2);
        at = to;
      }
      continue;
    }
    takeToken(byte);
    at += 1;
    if (is === role.opens) {
      if (depth === 1) empty = false;
      depth += 1;
    } else if (is === role.closes) {
      depth -= 1;
      if (depth > 0) continue;
      skipped.items = empty ? 0 : commas + 1;
      finish(lanes.hash1, lanes.hash2, 0);
      return at;
    } else if (is === role.comma && depth === 1) commas += 1;
  }
  return -1;
}

function takeToken(byte: number): void {
  lanes.hash1 = stir(lanes.hash1 ^ byte, prime1);
  lanes.hash2 = stir(lanes.hash2 ^ byte, prime2);
}

/** Position of the quote that ends the string whose first character is at `at`; -1 when there is none. */
export function stringEnd(bytes: Uint8Array, at: number, end: number): number {
  for (let next = at; next < end; next += 1) {
    const byte = bytes[next];
    if (byte === 0x22) return next;
    if (byte === 0x5c) next += 1;
  }
  return -1;
}

export function skipSpace(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end && (bytes[next] as number) <= 0x20) next += 1;
  return next;
}

/** Do the bytes from `at` spell this? */
export function spells(bytes: Uint8Array, at: number, end: number, spelling: Uint8Array): boolean {
  const length = spelling.length;
  if (at + length > end) return false;
  for (let index = 0; index < length; index += 1) {
    if (bytes[at + index] !== spelling[index]) return false;
  }
  return true;
}

/**
 * Hashes a string that holds escapes by what it means, so that `"é"` and its `\u` spelling are one value; its lanes
 * are those of `hashBytes` over its UTF-8. Returns that UTF-8's length, or -1 for an escape that JSON does not have.
 * A lone surrogate counts as its three bytes.
 */
export function hashEscaped(bytes: Uint8Array, start: number, end: number): number {
  // What it means is never longer than how it is spelled.
  if (meant.length < end - start) meant = new Uint8Array((end - start) * 2);
  const into = meant;
  let length = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte !== 0x5c) {
      into[length++] = byte;
      continue;
    }
    at += 1;
    const letter = bytes[at] as number;
    if (letter !== 0x75) {
      const plain = simpleEscapes[letter] ?? 0;
      if (plain === 0) return -1;
      into[length++] = plain;
      continue;
    }
    let unit = hexUnit(bytes, at + 1, end);
    if (unit < 0) return -1;
    at += 4;
    if (unit >= 0xd800 && unit < 0xdc00 && bytes[at + 1] === 0x5c && bytes[at + 2] === 0x75) {
      const low = hexUnit(bytes, at + 3, end);
      if (low >= 0xdc00 && low < 0xe000) {
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
      }
    }
    length = utf8(unit, into, length);
  }
  hashOn(into, 0, length, seed1, seed2);
  return length;
}

/** The bytes that the last string with escapes means: used over and over. */
let meant = new Uint8Array(256);

const simpleEscapes: readonly (number | undefined)[] = (() => {
  const table: (number | undefined)[] = [];
  for (const [letter, plain] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
    table[(letter as string).charCodeAt(0)] = (plain as string).charCodeAt(0);
  }
  return table;
})();

function hexUnit(bytes: Uint8Array, at: number, end: number): number {
  if (at + 4 > end) return -1;
  let unit = 0;
  for (let index = at; index < at + 4; index += 1) {
    const byte = bytes[index] as number;
    const digit = byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
    if (digit < 0 || digit > 15 || (byte > 0x39 && digit < 10)) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/** Writes a character's UTF-8 to `into` from `at` on; the position after it. */
function utf8(point: number, into: Uint8Array, at: number): number {
  let next = at;
  if (point < 0x80) into[next++] = point;
  else {
    if (point < 0x800) into[next++] = 0xc0 | (point >> 6);
    else {
      if (point < 0x10000) into[next++] = 0xe0 | (point >> 12);
      else {
        into[next++] = 0xf0 | (point >> 18);
        into[next++] = 0x80 | ((point >> 12) & 63);
      }
      into[next++] = 0x80 | ((point >> 6) & 63);
    }
    into[next++] = 0x80 | (point & 63);
  }
  return next;
}
