/**
 * Two 32-bit lanes over a value's bytes, four bytes at a time (multiply and rotate; the second lane takes each word with
 * its halves exchanged, since a multiplication carries upwards only), each mixed into the other at the end: together they
 * tell values apart and feed the sketch. Every kind of value starts from seeds of its own, so `1`, `"1"` and
 * `true` differ. `core/kernel/assembly/hash.ts` makes the same lanes.
 */
export const prime1 = 0x9e3779b1 | 0;
export const prime2 = 0x85ebca77 | 0;
const prime3 = 0x27d4eb2f;
export const seed1 = 0x811c9dc5 | 0;
export const seed2 = 0x2f0b4c47;
export const arraySeed = 0x1b873593;
export const objectSeed = 0x3c6ef372;
export const decimalSeed = 0x5f356495;
const doubleSeed = 0x165667b1;

const bits = new Float64Array(1);
const halves = new Int32Array(bits.buffer);
/** The lanes of the last `hashDouble`: two results without an allocation. */
export const lanes = { hash1: 0, hash2: 0 };

/** Hashes a finite double by its value, so that `1`, `1.0` and `1e0` are one value. */
export function hashDouble(value: number): void {
  bits[0] = value === 0 ? 0 : value;
  const low = halves[0] as number;
  const high = halves[1] as number;
  finish(
    stir(stir(doubleSeed ^ low, prime1) ^ high, prime1),
    stir(stir(doubleSeed ^ turned(low, 16), prime2) ^ turned(high, 16), prime2),
    0,
  );
}

/** Hashes bytes `[start, end)` from the given seed into `lanes`. */
export function hashBytes(bytes: Uint8Array, start: number, end: number, seed: number): void {
  hashOn(bytes, start, end, seed1 ^ seed, seed2 ^ seed);
}

/** Takes bytes `[start, end)` and their number into lanes that hold something already; the result is in `lanes`. */
export function hashOn(bytes: Uint8Array, start: number, end: number, before1: number, before2: number): void {
  let hash1 = before1;
  let hash2 = before2;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    hash1 = stir(hash1 ^ word, prime1);
    hash2 = stir(hash2 ^ turned(word, 16), prime2);
  }
  if (at < end) {
    let word = bytes[at] as number;
    if (at + 1 < end) word |= (bytes[at + 1] as number) << 8;
    if (at + 2 < end) word |= (bytes[at + 2] as number) << 16;
    hash1 = stir(hash1 ^ word, prime1);
    hash2 = stir(hash2 ^ turned(word, 16), prime2);
  }
  finish(hash1, hash2, end - start);
}

/** Mixes each lane into the other, and a number into both: every bit of `lanes` is then good for a sketch. */
export function finish(before1: number, before2: number, number: number): void {
  const hash2 = Math.imul(before2 ^ number, prime2);
  const hash1 = Math.imul(before1 ^ number, prime1) ^ turned(hash2, 16);
  lanes.hash1 = hash1;
  lanes.hash2 = (hash2 + Math.imul(hash1, prime3)) | 0;
}

/** One step of a lane: the rotation brings what the multiplication left in the high bits back to the low ones. */
export function stir(mixed: number, prime: number): number {
  return turned(Math.imul(mixed, prime), 15);
}

/**
 * A member's share in a lane of its object, which is the sum of them, so that the order of keys does not matter. The
 * shift keeps the sum from falling apart: without it, equal values of two members would cancel wherever their salts differ.
 */
export function memberShare(lane: number, salt: number, prime: number): number {
  const mixed = Math.imul(lane ^ salt, prime);
  return mixed ^ (mixed >>> 15);
}

function turned(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
