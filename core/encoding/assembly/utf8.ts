// AssemblyScript, compiled by `npm run kernel`: not TypeScript. Characters as their UTF-8, eight or sixteen at a time.
// Half of a surrogate pair that stands alone keeps three bytes of its own (WTF-8).

/** Most characters of one call. */
export const limit: i32 = 32 * 1024;
/** Where characters are put: one byte each (Latin-1), or two (UTF-16, little-endian). */
export const input: usize = 0x2000;
/** Where their bytes stand after a call: three a character at most, and what a last vector writes past them. */
export const output: usize = 0x12000;

/** Which bytes of a vector stay, in order, by which of its characters are wide: 16 bytes an entry. */
@inline const ofLatin1: usize = 0x0;
@inline const ofUnits: usize = 0x1000;
/** Picks no byte. */
@inline const none: u32 = 0x80;

/** Fills the tables; once, before anything else. */
export function prepare(): void {
  for (let wide = 0; wide < 256; wide++) {
    // Of eight last bytes and, behind them, eight first ones.
    let to = ofLatin1 + (wide << 4);
    let end = to + 16;
    for (let n = 0; n < 8; n++) {
      if (wide & (1 << n)) store<u8>(to++, 8 + n);
      store<u8>(to++, n);
    }
    while (to < end) store<u8>(to++, none);
    // Of four characters in 32 bits each: the last byte lowest, the first above.
    to = ofUnits + (wide << 4);
    end = to + 16;
    for (let n = 0; n < 4; n++) {
      if (wide & (16 << n)) store<u8>(to++, 4 * n + 2);
      if (wide & (1 << n)) store<u8>(to++, 4 * n + 1);
      store<u8>(to++, 4 * n);
    }
    while (to < end) store<u8>(to++, none);
  }
}

/** Takes `count` characters up to U+00FF, answers how many bytes they are. */
export function fromLatin1(count: i32): i32 {
  let at = input;
  const end = input + count;
  const vectors = input + (count & ~15);
  let to = output;
  while (at < vectors) {
    const characters = v128.load(at);
    const wide = i8x16.bitmask(characters);
    at += 16;
    if (!wide) {
      v128.store(to, characters);
      to += 16;
      continue;
    }
    const tail = v128.or(v128.and(characters, i8x16.splat(0x3f)), i8x16.splat(-128));
    const last = v128.bitselect(tail, characters, i8x16.shr_s(characters, 7));
    const first = v128.or(i8x16.shr_u(characters, 6), i8x16.splat(-64));
    const front = i8x16.shuffle(last, first, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    const back = i8x16.shuffle(last, first, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    v128.store(to, i8x16.swizzle(front, v128.load(ofLatin1 + ((wide & 0xff) << 4))));
    to += 8 + popcnt(wide & 0xff);
    v128.store(to, i8x16.swizzle(back, v128.load(ofLatin1 + ((wide >>> 8) << 4))));
    to += 8 + popcnt(wide >>> 8);
  }
  for (; at < end; at++) to = put(load<u8>(at), to);
  return <i32>(to - output);
}

/** Takes `count` UTF-16 code units, answers how many bytes they are. */
export function fromUtf16(count: i32): i32 {
  let at = input;
  const end = input + (count << 1);
  let to = output;
  while (at + 16 <= end) {
    const units = v128.load(at);
    if (!v128.any_true(v128.and(units, i16x8.splat(-128)))) {
      store<u64>(to, v128.extract_lane<u64>(v128.narrow<u16>(units, units), 0));
      at += 16;
      to += 8;
      continue;
    }
    const surrogates = i16x8.bitmask(i16x8.eq(v128.and(units, i16x8.splat(-0x800)), i16x8.splat(-0x2800)));
    if (!surrogates) {
      to = four(i32x4.extend_low_i16x8_u(units), to);
      to = four(i32x4.extend_high_i16x8_u(units), to);
      at += 16;
      continue;
    }
    // What stands before the first surrogate, then all of them up to the next other character.
    const before = ctz(surrogates);
    const wide = i16x8.bitmask(i16x8.gt_u(units, i16x8.splat(0x7f)));
    if (wide & ((1 << before) - 1)) {
      for (let n = 0; n < before; n++) to = put(load<u16>(at + (n << 1)), to);
    } else {
      store<u64>(to, v128.extract_lane<u64>(v128.narrow<u16>(units, units), 0));
      to += before;
    }
    at += before << 1;
    do {
      to = surrogate(at, end, to);
      at += taken;
    } while (at < end && (load<u16>(at) & 0xf800) == 0xd800);
  }
  while (at < end) {
    const unit: u32 = load<u16>(at);
    if ((unit & 0xf800) == 0xd800) {
      to = surrogate(at, end, to);
      at += taken;
    } else {
      to = put(unit, to);
      at += 2;
    }
  }
  return <i32>(to - output);
}

/** Bytes of input that the last surrogate took, with its other half. */
let taken: usize = 0;

@inline
function surrogate(at: usize, end: usize, to: usize): usize {
  const unit: u32 = load<u16>(at);
  const next: u32 = at + 2 < end ? load<u16>(at, 2) : 0;
  if (unit >= 0xdc00 || (next & 0xfc00) != 0xdc00) {
    taken = 2;
    return put(unit, to);
  }
  taken = 4;
  const point = 0x10000 + ((unit & 0x3ff) << 10) + (next & 0x3ff);
  const front = (point >> 18) | (((point >> 12) & 0x3f) << 8);
  store<u32>(to, 0x808080f0 | front | (((point >> 6) & 0x3f) << 16) | ((point & 0x3f) << 24));
  return to + 4;
}

/** Four characters in 32 bits each, no surrogate among them. */
@inline
function four(units: v128, to: usize): usize {
  const two = i32x4.gt_u(units, i32x4.splat(0x7f));
  const three = i32x4.gt_u(units, i32x4.splat(0x7ff));
  const wide = i32x4.bitmask(two) | (i32x4.bitmask(three) << 4);
  const tail = i32x4.splat(0x3f);
  const mark = i32x4.splat(0x80);
  const last = v128.bitselect(v128.or(v128.and(units, tail), mark), units, two);
  const above = i32x4.shr_u(units, 6);
  // Of two bytes the first, of three the second.
  const before = v128.bitselect(v128.or(v128.and(above, tail), mark), v128.or(above, i32x4.splat(0xc0)), three);
  const first = v128.or(i32x4.shr_u(units, 12), i32x4.splat(0xe0));
  const bytes = v128.or(v128.or(last, i32x4.shl(before, 8)), i32x4.shl(first, 16));
  v128.store(to, i8x16.swizzle(bytes, v128.load(ofUnits + (wide << 4))));
  return to + 4 + popcnt(wide);
}

@inline
function put(unit: u32, to: usize): usize {
  if (unit < 0x80) {
    store<u8>(to, unit);
    return to + 1;
  }
  if (unit < 0x800) {
    store<u8>(to, 0xc0 | (unit >> 6));
    store<u8>(to, 0x80 | (unit & 0x3f), 1);
    return to + 2;
  }
  store<u8>(to, 0xe0 | (unit >> 12));
  store<u8>(to, 0x80 | ((unit >> 6) & 0x3f), 1);
  store<u8>(to, 0x80 | (unit & 0x3f), 2);
  return to + 3;
}
