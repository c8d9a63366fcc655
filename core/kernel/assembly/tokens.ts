// Strict JSON (RFC 8259), token by token. Every function answers the position after what it took, or 0 for what is not
// JSON or is not all there: behind the piece stand zeros, which no token holds.

/** Each line is a value of its own: a line feed is no white space. */
export let lines: bool = false;
/** A line feed stood between tokens. */
export let sawLineFeed: i32 = 0;

export function setLines(asLines: bool): void {
  lines = asLines;
  sawLineFeed = 0;
}

/** Over white space, which may be none. */
export function skipBlanks(from: usize): usize {
  let at = from;
  while (true) {
    const byte: u32 = load<u8>(at);
    if (byte == 0x0a) {
      if (lines) return at;
      sawLineFeed = 1;
    } else if (byte != 0x20 && byte != 0x09 && byte != 0x0d) return at;
    at++;
  }
}

/** The same, where there is usually none. */
@inline
export function afterBlanks(at: usize): usize {
  return load<u8>(at) > 0x20 ? at : skipBlanks(at);
}

/** The first quote, backslash or control character from here on; sixteen bytes at a time. */
@inline
export function plainEnd(from: usize): usize {
  let at = from;
  while (true) {
    const bytes = v128.load(at);
    const found = v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c))),
      i8x16.lt_u(bytes, i8x16.splat(0x20)),
    );
    const marks = i8x16.bitmask(found);
    if (marks) return at + ctz(marks);
    at += 16;
  }
}

/** The quote that ends the string whose first character is at `from`. */
export function stringEnd(from: usize): usize {
  let at = plainEnd(from);
  while (true) {
    const byte: u32 = load<u8>(at);
    if (byte == 0x22) return at;
    if (byte != 0x5c) return 0;
    const letter: u32 = load<u8>(at + 1);
    if (letter == 0x75) {
      if (!isHex(at + 2) || !isHex(at + 3) || !isHex(at + 4) || !isHex(at + 5)) return 0;
      at += 6;
    } else if (isEscape(letter)) at += 2;
    else return 0;
    at = plainEnd(at);
  }
}

/** A number, `true`, `false` or `null` that begins with this byte. */
export function scalar(from: usize, first: u32): usize {
  if (first == 0x6e) return isNull(from) ? from + 4 : 0;
  if (first == 0x74) return isTrue(from) ? from + 4 : 0;
  if (first == 0x66) return isFalse(from) ? from + 5 : 0;
  let start = first == 0x2d ? from + 1 : from;
  let at = digits(start);
  if (at == start || (at - start > 1 && load<u8>(start) == 0x30)) return 0;
  if (load<u8>(at) == 0x2e) {
    start = at + 1;
    at = digits(start);
    if (at == start) return 0;
  }
  if ((load<u8>(at) | 0x20) == 0x65) {
    start = at + 1;
    const sign: u32 = load<u8>(start);
    if (sign == 0x2b || sign == 0x2d) start++;
    at = digits(start);
    if (at == start) return 0;
  }
  return at;
}

@inline
export function isNull(at: usize): bool {
  return load<u32>(at) == 0x6c6c756e;
}

@inline
export function isTrue(at: usize): bool {
  return load<u32>(at) == 0x65757274;
}

@inline
export function isFalse(at: usize): bool {
  return load<u32>(at + 1) == 0x65736c61;
}

@inline
export function isDigit(byte: u32): bool {
  return byte - 0x30 <= 9;
}

function digits(from: usize): usize {
  let at = from;
  while (isDigit(load<u8>(at))) at++;
  return at;
}

function isHex(at: usize): bool {
  const byte: u32 = load<u8>(at);
  return isDigit(byte) || (byte | 0x20) - 0x61 <= 5;
}

/** One of `"\/bfnrt`. */
function isEscape(letter: u32): bool {
  if (letter == 0x22 || letter == 0x5c || letter == 0x2f || letter == 0x62) return true;
  return letter == 0x66 || letter == 0x6e || letter == 0x72 || letter == 0x74;
}
