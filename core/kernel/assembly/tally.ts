import {
  grown,
  markPlain,
  tallyEstimate,
  tallyHighest,
  tallyLongest,
  tallyLowest,
  tallyOpen,
  tallyShortest,
  tallySum,
  valueBytes,
  valueEnd,
  valueLanes,
  valueLength,
  valueNumber,
  valueStart,
} from './memory';

// What `core/profile` does value by value, for values noted one after the other in `[first, end)`: the same operations of
// doubles in the same order. What goes on from run to run is handed in and out in the cells of the tally.

// `core/profile/kind.ts`.
@inline const kindNull: u32 = 1;
@inline const kindInteger: u32 = 3;
/** `DistinctSketch`. */
@inline const registerCount: u32 = 0x10000;
/** Up to so many bytes of text two numbers that are one double are equal (`Bound`). */
@inline const exactDigits: u32 = 15;

/** One bit for every kind there is. */
export function kinds(first: usize, end: usize): u32 {
  let seen: u32 = 0;
  let at = first;
  for (; at + 3 * valueBytes < end; at += 4 * valueBytes) {
    seen |=
      (1 << <u32>load<u8>(at)) |
      (1 << <u32>load<u8>(at, valueBytes)) |
      (1 << <u32>load<u8>(at, 2 * valueBytes)) |
      (1 << <u32>load<u8>(at, 3 * valueBytes));
  }
  for (; at < end; at += valueBytes) seen |= 1 << <u32>load<u8>(at);
  return seen;
}

/** Puts the values that are not null one after the other, in their order: where they end. */
export function withoutNulls(first: usize, end: usize): usize {
  let to = first;
  for (let at = first; at < end; at += valueBytes) {
    const kept: usize = load<u8>(at) == kindNull ? 0 : valueBytes;
    v128.store(to, v128.load(at));
    v128.store(to, v128.load(at, 16), 16);
    to += kept;
  }
  return to;
}

/** How many are integers. */
export function integers(first: usize, end: usize): i32 {
  let count = 0;
  for (let at = first; at < end; at += valueBytes) count += load<u8>(at) == kindInteger ? 1 : 0;
  return count;
}

/** As `LengthRange.add`. */
export function lengths(first: usize, end: usize): void {
  let shortest = i32x4.splat(load<i32>(tallyShortest));
  let longest = i32x4.splat(load<i32>(tallyLongest));
  for (let at = first; at < end; at += valueBytes) {
    const lengths = v128.load(at, valueLength);
    shortest = i32x4.min_s(shortest, lengths);
    longest = i32x4.max_s(longest, lengths);
  }
  store<i32>(tallyShortest, i32x4.extract_lane(shortest, 0));
  store<i32>(tallyLongest, i32x4.extract_lane(longest, 0));
}

/** As `NumberRange.add`, up to the first number of which the digits may matter: where that one is noted, or the end. */
export function numbers(first: usize, end: usize): usize {
  let sum = load<f64>(tallySum);
  let lowest = load<f64>(tallyLowest);
  let highest = load<f64>(tallyHighest);
  let at = first;
  for (; at < end; at += valueBytes) {
    const value = load<f64>(at, valueNumber);
    if (!(value > lowest && value < highest)) {
      if (load<u32>(at) & markPlain) {
        if (value < lowest) lowest = value;
        if (value > highest) highest = value;
      } else if (!ties(value, lowest, highest, at)) break;
    }
    sum += value;
  }
  store<f64>(tallySum, sum);
  store<f64>(tallyLowest, lowest);
  store<f64>(tallyHighest, highest);
  return at;
}

/** Is it surely equal to the bound that it is not inside of? As `Bound.beyond`. */
@inline
function ties(value: f64, lowest: f64, highest: f64, at: usize): bool {
  if (!(value >= lowest && value <= highest) || value == 0 || abs(value) == Infinity) return false;
  return load<u32>(at, valueEnd) - load<u32>(at, valueStart) <= exactDigits;
}

/**
 * As `DistinctSketch.add`. About every second value changes a register, and none can be foreseen: first without a branch
 * all registers, noting what changed; then the estimate, for those alone.
 */
export function sketch(first: usize, end: usize, registers: usize): void {
  let to: usize = grown;
  for (let at = first; at < end; at += valueBytes) {
    const register: usize = registers + (load<u32>(at, valueLanes) & (registerCount - 1));
    const rank = clz(load<u32>(at, valueLanes + 4)) + 1;
    const before: u32 = load<u8>(register);
    const grows = rank > before;
    store<u8>(register, grows ? rank : before);
    store<u32>(to, before | (rank << 16));
    to += grows ? 4 : 0;
  }
  let estimate = load<f64>(tallyEstimate);
  let open = load<f64>(tallyOpen);
  for (let at: usize = grown; at < to; at += 4) {
    const ranks = load<u32>(at);
    estimate += <f64>registerCount / open;
    open -= inversePower(ranks & 0xffff) - inversePower(ranks >> 16);
  }
  store<f64>(tallyEstimate, estimate);
  store<f64>(tallyOpen, open);
}

@inline
function inversePower(rank: u32): f64 {
  return reinterpret<f64>((1023 - <u64>rank) << 52);
}
