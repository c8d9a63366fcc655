import { arraySeed, lanes, prime1, prime2, seed1, seed2 } from './value-hash.ts';

/** Shape of the array or object that `skipNested` went over. */
export const skipped = { items: 0 };

/** 1: opens, 2: closes, 3: comma, 4: quote, 5: white space; 0 for all other bytes. */
const roles = new Uint8Array(256);
for (const [text, role] of [
  ['[{', 1],
  [']}', 2],
  [',', 3],
  ['"', 4],
  [' \t\n\r', 5],
] as const) {
  for (const letter of text) roles[letter.charCodeAt(0)] = role;
}

/**
 * Goes over one array or object without looking inside, however deep; `start` is its first bracket. Returns the
 * position after it, or -1 when it does not end before `end`. Leaves its hash in `lanes` and the number of its
 * elements in `skipped`. White space between values does not count towards the hash.
 */
export function skipNested(bytes: Uint8Array, start: number, end: number): number {
  let depth = 0;
  let commas = 0;
  let empty = true;
  let hash1 = seed1 ^ arraySeed;
  let hash2 = seed2;
  let at = start;
  for (; at < end; at += 1) {
    const byte = bytes[at] as number;
    const role = roles[byte];
    if (role === 5) continue;
    hash1 = Math.imul(hash1 ^ byte, prime1);
    if (role === 0) {
      if (depth === 1) empty = false;
      continue;
    }
    // The second lane moves once a token, fed by the first: as good for telling values apart, at half the work.
    hash2 = Math.imul(hash2 ^ hash1, prime2);
    if (role === 4) {
      for (at += 1; at < end; at += 1) {
        const inner = bytes[at] as number;
        hash1 = Math.imul(hash1 ^ inner, prime1);
        if (inner === 0x22) break;
        if (inner === 0x5c) {
          at += 1;
          hash1 = Math.imul(hash1 ^ (bytes[at] as number), prime1);
        }
      }
      if (at >= end) return -1;
      hash2 = Math.imul(hash2 ^ (hash1 >>> 7), prime2);
      if (depth === 1) empty = false;
    } else if (role === 1) {
      if (depth === 1) empty = false;
      depth += 1;
    } else if (role === 2) {
      depth -= 1;
      if (depth === 0) break;
    } else if (depth === 1) commas += 1;
  }
  if (at >= end) return -1;
  lanes.hash1 = hash1;
  lanes.hash2 = hash2;
  skipped.items = empty ? 0 : commas + 1;
  return at + 1;
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
  let hash1 = seed1;
  let hash2 = seed2;
  let length = 0;
  const take = (byte: number): void => {
    hash1 = Math.imul(hash1 ^ byte, prime1);
    hash2 = Math.imul(hash2 ^ byte, prime2);
    length += 1;
  };
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte !== 0x5c) {
      take(byte);
      continue;
    }
    at += 1;
    const letter = bytes[at] as number;
    if (letter !== 0x75) {
      const meant = simpleEscapes[letter] ?? 0;
      if (meant === 0) return -1;
      take(meant);
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
    utf8(unit, take);
  }
  lanes.hash1 = hash1;
  lanes.hash2 = hash2;
  return length;
}

const simpleEscapes: readonly (number | undefined)[] = (() => {
  const table: (number | undefined)[] = [];
  for (const [letter, meant] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
    table[(letter as string).charCodeAt(0)] = (meant as string).charCodeAt(0);
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

function utf8(point: number, take: (byte: number) => void): void {
  if (point < 0x80) {
    take(point);
  } else if (point < 0x800) {
    take(0xc0 | (point >> 6));
    take(0x80 | (point & 63));
  } else if (point < 0x10000) {
    take(0xe0 | (point >> 12));
    take(0x80 | ((point >> 6) & 63));
    take(0x80 | (point & 63));
  } else {
    take(0xf0 | (point >> 18));
    take(0x80 | ((point >> 12) & 63));
    take(0x80 | ((point >> 6) & 63));
    take(0x80 | (point & 63));
  }
}
