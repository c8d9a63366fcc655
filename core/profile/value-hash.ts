/**
 * Two 32-bit lanes over a value's bytes (FNV-1a with two primes): together they tell values apart, mixed they feed
 * the sketch. Every kind of value starts from seeds of its own, so `1`, `"1"` and `true` differ.
 */
export const prime1 = 0x01000193;
export const prime2 = 0x5bd1e995;
export const seed1 = 0x811c9dc5 | 0;
export const seed2 = 0x2f0b4c47;
export const arraySeed = 0x1b873593;
export const objectSeed = 0x3c6ef372;
export const decimalSeed = 0x5f356495;

const bits = new Float64Array(1);
const halves = new Int32Array(bits.buffer);
/** The lanes of the last `hashDouble`: two results without an allocation. */
export const lanes = { hash1: 0, hash2: 0 };

/** Hashes a finite double by its value, so that `1`, `1.0` and `1e0` are one value. */
export function hashDouble(value: number): void {
  bits[0] = value === 0 ? 0 : value;
  const low = halves[0] as number;
  const high = halves[1] as number;
  lanes.hash1 = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca77);
  lanes.hash2 = (Math.imul(low ^ 0x2545f491, 0xc2b2ae3d) + Math.imul(high, 0x27d4eb2f)) | 0;
}

/** Hashes bytes `[start, end)` from the given seed into `lanes`. */
export function hashBytes(bytes: Uint8Array, start: number, end: number, seed: number): void {
  let hash1 = seed1 ^ seed;
  let hash2 = seed2 ^ seed;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    hash1 = Math.imul(hash1 ^ byte, prime1);
    hash2 = Math.imul(hash2 ^ byte, prime2);
  }
  lanes.hash1 = hash1;
  lanes.hash2 = hash2;
}
