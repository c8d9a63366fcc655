import { arraySeed, finish, hashOn, lane1, lane2, prime1, prime2, seed1, seed2, setLanes, stir } from './hash';
import { afterBlanks, scalar, stringEnd } from './tokens';

/** Elements of the array that `array` went over. */
export let items: i32 = 0;

/** Nesting that fits one bit a level into a register; deeper arrays are read outside. */
const depthLimit: i32 = 64;

@inline
function take(token: u32): void {
  setLanes(stir(lane1 ^ token, prime1), stir(lane2 ^ token, prime2));
}

/**
 * Goes over an array whose opening bracket is at `from`. Its hash, as `skipNested` makes it outside, is left in the
 * lanes, the number of its elements in `items`. Answers the position after it, or 0.
 */
export function array(from: usize): usize {
  let at = from + 1;
  let depth = 1;
  /** One bit per open container: 1 for an array. */
  let kinds: u64 = 1;
  let commas = 0;
  let empty = true;
  let opened = true;
  setLanes(seed1 ^ arraySeed, seed2);
  take(0x5b);
  while (true) {
    at = afterBlanks(at);
    let byte: u32 = load<u8>(at);
    if (!opened || byte != closing(kinds)) {
      if (depth == 1) empty = false;
      if ((kinds & 1) == 0) {
        at = key(at, byte);
        if (!at) return 0;
        byte = load<u8>(at);
      }
      if (byte == 0x7b || byte == 0x5b) {
        if (depth == depthLimit) return 0;
        depth++;
        kinds = (kinds << 1) | (byte == 0x5b ? 1 : 0);
        take(byte);
        at++;
        opened = true;
        continue;
      }
      at = plain(at, byte);
      if (!at) return 0;
      at = afterBlanks(at);
      byte = load<u8>(at);
    }
    // Behind a value: whatever closes, then a comma.
    while (true) {
      take(byte);
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
        finish(lane1, lane2, 0);
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

/** A member's key and its colon: the position of the value. */
function key(from: usize, first: u32): usize {
  if (first != 0x22) return 0;
  let at = text(from);
  if (!at) return 0;
  at = afterBlanks(at);
  if (load<u8>(at) != 0x3a) return 0;
  take(0x3a);
  return afterBlanks(at + 1);
}

/** A string or a scalar. */
function plain(from: usize, first: u32): usize {
  if (first == 0x22) return text(from);
  const end = scalar(from, first);
  if (!end) return 0;
  hashOn(from, end, lane1, lane2);
  return end;
}

/** A string, which begins with its quote so that `"1"` is not 1. */
function text(from: usize): usize {
  const end = stringEnd(from + 1);
  if (!end) return 0;
  take(0x22);
  hashOn(from + 1, end, lane1, lane2);
  return end + 1;
}
