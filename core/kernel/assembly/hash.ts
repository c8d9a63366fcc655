// The lanes of `core/profile/value-hash.ts`, bit for bit: values that the kernel reads and values that are read outside
// count as the same.

@inline export const prime1: u32 = 0x9e3779b1;
@inline export const prime2: u32 = 0x85ebca77;
@inline export const prime3: u32 = 0x27d4eb2f;
@inline export const seed1: u32 = 0x811c9dc5;
@inline export const seed2: u32 = 0x2f0b4c47;
@inline export const arraySeed: u32 = 0x1b873593;
@inline export const objectSeed: u32 = 0x3c6ef372;
@inline const doubleSeed: u32 = 0x165667b1;

/** The lanes of the last value hashed. */
export let lane1: u32 = 0;
export let lane2: u32 = 0;

@inline
export function setLanes(one: u32, two: u32): void {
  lane1 = one;
  lane2 = two;
}

@inline
export function stir(mixed: u32, prime: u32): u32 {
  return rotl<u32>(mixed * prime, 15);
}

/** Takes bytes and their number into lanes that hold something already. */
@inline
export function hashOn(from: usize, to: usize, before1: u32, before2: u32): void {
  let hash1 = before1;
  let hash2 = before2;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const word = load<u32>(at);
    hash1 = stir(hash1 ^ word, prime1);
    hash2 = stir(hash2 ^ rotl<u32>(word, 16), prime2);
  }
  const length = <u32>(to - from);
  const rest = length & 3;
  if (rest) {
    const word = load<u32>(at) & ((1 << (rest << 3)) - 1);
    hash1 = stir(hash1 ^ word, prime1);
    hash2 = stir(hash2 ^ rotl<u32>(word, 16), prime2);
  }
  finish(hash1, hash2, length);
}

@inline
export function finish(before1: u32, before2: u32, number: u32): void {
  const hash2 = (before2 ^ number) * prime2;
  const hash1 = ((before1 ^ number) * prime1) ^ rotl<u32>(hash2, 16);
  setLanes(hash1, hash2 + hash1 * prime3);
}

/** A member's share in a lane of its object, which is the sum of them: the order of keys does not matter. */
@inline
export function memberShare(lane: u32, salt: u32, prime: u32): u32 {
  const mixed = (lane ^ salt) * prime;
  return mixed ^ (mixed >> 15);
}

@inline
export function hashDouble(value: f64): void {
  const bits: u64 = value == 0 ? 0 : reinterpret<u64>(value);
  const low = <u32>bits;
  const high = <u32>(bits >> 32);
  finish(
    stir(stir(doubleSeed ^ low, prime1) ^ high, prime1),
    stir(stir(doubleSeed ^ rotl<u32>(low, 16), prime2) ^ rotl<u32>(high, 16), prime2),
    0,
  );
}
