import { arraySeed, finish, prime1, prime2, prime3, seed1, seed2, stir } from './hash';
import { afterBlanks, plainEnd, scalar, stringEnd } from './tokens';

/** Elements of the array that `array` went over. */
export let items: i32 = 0;

/** Nesting that fits one bit a level into a register; deeper arrays are read outside. */
const depthLimit: i32 = 64;

/**
 * Goes over an array whose opening bracket is at `from`. Its hash, as `skipNested` makes it outside, is left in the
 * lanes, the number of its elements in `items`. Answers the position after it, or 0. One function with its lanes in
 * registers: each token's share waits for that of the one before.
 */
export function array(from: usize): usize {
  let at = from + 1;
  let depth = 1;
  /** One bit per open container: 1 for an array. */
  let kinds: u64 = 1;
  let commas = 0;
  let empty = true;
  let opened = true;
  let hash1 = stir(seed1 ^ arraySeed ^ 0x5b, prime1);
  let hash2 = stir(seed2 ^ 0x5b, prime2);
  while (true) {
    at = afterBlanks(at);
    let byte: u32 = load<u8>(at);
    if (!opened || byte != closing(kinds)) {
      if (depth == 1) empty = false;
      opened = false;
      /** A member's key is next. */
      let key = (kinds & 1) == 0;
      while (true) {
        let start = at;
        let end: usize;
        if (byte == 0x22) {
          // A string begins with its quote so that `"1"` is not 1.
          hash1 = stir(hash1 ^ 0x22, prime1);
          hash2 = stir(hash2 ^ 0x22, prime2);
          start++;
          end = plainEnd(start);
          if (load<u8>(end) != 0x22) end = stringEnd(start);
          at = end + 1;
        } else {
          if (key) return 0;
          if (byte == 0x7b || byte == 0x5b) {
            if (depth == depthLimit) return 0;
            depth++;
            kinds = (kinds << 1) | (byte == 0x5b ? 1 : 0);
            hash1 = stir(hash1 ^ byte, prime1);
            hash2 = stir(hash2 ^ byte, prime2);
            at++;
            opened = true;
            break;
          }
          end = scalar(at, byte);
          at = end;
        }
        if (!end) return 0;
        // As `hashOn`.
        let word = start;
        for (; word + 4 <= end; word += 4) {
          const bytes = load<u32>(word);
          hash1 = stir(hash1 ^ bytes, prime1);
          hash2 = stir(hash2 ^ rotl<u32>(bytes, 16), prime2);
        }
        const length = <u32>(end - start);
        const rest = length & 3;
        if (rest) {
          const bytes = load<u32>(word) & ((1 << (rest << 3)) - 1);
          hash1 = stir(hash1 ^ bytes, prime1);
          hash2 = stir(hash2 ^ rotl<u32>(bytes, 16), prime2);
        }
        hash2 = (hash2 ^ length) * prime2;
        hash1 = ((hash1 ^ length) * prime1) ^ rotl<u32>(hash2, 16);
        hash2 += hash1 * prime3;
        at = afterBlanks(at);
        byte = load<u8>(at);
        if (!key) break;
        if (byte != 0x3a) return 0;
        hash1 = stir(hash1 ^ 0x3a, prime1);
        hash2 = stir(hash2 ^ 0x3a, prime2);
        at = afterBlanks(at + 1);
        byte = load<u8>(at);
        key = false;
      }
      if (opened) continue;
    }
    // Behind a value: whatever closes, then a comma.
    while (true) {
      hash1 = stir(hash1 ^ byte, prime1);
      hash2 = stir(hash2 ^ byte, prime2);
      at++;
      if (byte == 0x2c) {
        if (depth == 1) commas++;
        break;
      }
      if (byte != closing(kinds)) return 0;
      kinds >>= 1;
      depth--;
      if (depth == 0) {
        items = empty ? 0 : commas + 1;
        finish(hash1, hash2, 0);
        return at;
      }
      at = afterBlanks(at);
      byte = load<u8>(at);
    }
    opened = false;
  }
}

@inline
function closing(kinds: u64): u32 {
  return kinds & 1 ? 0x5d : 0x7d;
}
