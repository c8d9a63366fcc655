import { decimal, integer, value as decimalValue } from './decimal';
import { finish, hashDouble, hashOn, lane1, lane2, memberShare, objectSeed, prime1, prime2, seed1, seed2, setLanes } from './hash';
import {
  columnCursor,
  columnFollowing,
  columnInside,
  columnLength,
  columnMask,
  columnNext,
  columnSalt,
  columnSpelling,
  columnStamp,
  hostLanes,
  markEscapes,
  markPlain,
  powers,
  valueBytes,
  valueEnd,
  valueLanes,
  valueLength,
  valueNumber,
  valueStart,
} from './memory';
import { array, items } from './nested';
import { afterBlanks, isDigit, isFalse, isNull, isTrue, plainEnd } from './tokens';

// `core/profile/kind.ts`.
@inline const kindNull: u32 = 1;
@inline const kindBoolean: u32 = 2;
@inline const kindInteger: u32 = 3;
@inline const kindNumber: u32 = 4;
@inline const kindString: u32 = 5;
@inline const kindArray: u32 = 6;
@inline const kindObject: u32 = 7;

/** A string with escapes: its lanes in `hostLanes`; the UTF-8 bytes of what it means, or -1 for an escape that is none. */
@external('host', 'escapedString')
declare function hostString(start: usize, close: usize): i32;
/** A number that `decimal` does not read, noted by the host; the position after it, or 0. */
@external('host', 'longNumber')
declare function hostNumber(start: usize, slot: usize): usize;

/** The record that is being read. */
export let stamp: i32 = 0;

export function nextRecord(): void {
  // 0 is what a column holds that no record has touched.
  if (++stamp == 0) stamp = 1;
}

/** A value at `at`, noted for the column: the position after it, or 0 for what is to be read outside. */
@inline
export function value(at: usize, column: usize): usize {
  // A key that comes twice: of what it said first nothing may stay.
  if (load<i32>(column, columnStamp) == stamp) return 0;
  store<i32>(column, stamp, columnStamp);
  const slot: usize = load<u32>(column, columnCursor);
  store<u32>(column, <u32>slot + valueBytes, columnCursor);
  const first: u32 = load<u8>(at);
  if (first == 0x22) {
    const start = at + 1;
    const close = plainEnd(start);
    if (load<u8>(close) != 0x22) return escaped(start, close, slot);
    hashOn(start, close, seed1, seed2);
    note(slot, kindString, start, close);
    store<u32>(slot, <u32>(close - start), valueLength);
    return close + 1;
  }
  if (isDigit(first) || first == 0x2d) return number(at, slot);
  if (first == 0x7b) return inner(at, slot, load<u32>(column, columnInside));
  if (first == 0x5b) {
    const end = array(at);
    if (!end) return 0;
    note(slot, kindArray, at, end);
    store<u32>(slot, <u32>items, valueLength);
    return end;
  }
  return literal(at, first, slot);
}

/** An object's members, from after its opening brace to after its closing one. If `hashed`, its hash is left in the lanes. */
export function object(from: usize, tree: usize, hashed: bool): usize {
  let at = afterBlanks(from);
  let previous: usize = 0;
  let hash1 = objectSeed;
  let hash2 = objectSeed;
  let byte: u32 = load<u8>(at);
  if (byte == 0x7d) at++;
  else {
    do {
      if (byte != 0x22) return 0;
      at++;
      let column: usize = previous ? load<u32>(previous, columnFollowing) : load<u32>(tree);
      if (!column || !spells(at, column)) {
        column = search(at, tree, previous);
        if (!column) return 0;
      }
      at = afterBlanks(at + load<u32>(column, columnLength));
      if (load<u8>(at) != 0x3a) return 0;
      at = value(afterBlanks(at + 1), column);
      if (!at) return 0;
      if (hashed) {
        const salt = load<u32>(column, columnSalt);
        hash1 += memberShare(lane1, salt, prime2);
        hash2 += memberShare(lane2, salt, prime1);
      }
      previous = column;
      at = afterBlanks(at);
      byte = load<u8>(at);
      at++;
      if (byte == 0x7d) break;
      if (byte != 0x2c) return 0;
      at = afterBlanks(at);
      byte = load<u8>(at);
    } while (true);
  }
  if (hashed) finish(hash1, hash2, 0);
  return at;
}

/** Do the bytes from here spell the column's key and its closing quote? */
@inline
function spells(at: usize, column: usize): bool {
  const differ = v128.and(v128.xor(v128.load(at), v128.load(column)), v128.load(column, columnMask));
  if (v128.any_true(differ)) return false;
  const length: usize = load<u32>(column, columnLength);
  return length <= 16 || memory.compare(at + 16, <usize>load<u32>(column, columnSpelling) + 16, length - 16) == 0;
}

/** The column of a key that was not expected here; 0 when it has none. It is expected from now on. */
function search(at: usize, tree: usize, previous: usize): usize {
  const start: usize = previous ? load<u32>(previous, columnNext) : load<u32>(tree, 4);
  let column = start;
  while (column) {
    if (spells(at, column)) {
      if (previous) store<u32>(previous, <u32>column, columnFollowing);
      else store<u32>(tree, <u32>column);
      return column;
    }
    column = load<u32>(column, columnNext);
    if (column == start) return 0;
  }
  return 0;
}

@inline
function note(slot: usize, kind: u32, start: usize, end: usize): void {
  store<u32>(slot, kind);
  store<u32>(slot, lane1, valueLanes);
  store<u32>(slot, lane2, valueLanes + 4);
  store<u32>(slot, <u32>start, valueStart);
  store<u32>(slot, <u32>end, valueEnd);
}

function inner(at: usize, slot: usize, tree: usize): usize {
  if (!tree) return 0;
  const end = object(at + 1, tree, true);
  if (!end) return 0;
  note(slot, kindObject, at, end);
  return end;
}

function literal(at: usize, first: u32, slot: usize): usize {
  let kind = kindBoolean;
  let end = at + 4;
  let mark: u32 = 0;
  if (first == 0x6e && isNull(at)) kind = kindNull;
  else if (first == 0x74 && isTrue(at)) mark = markPlain;
  else if (first == 0x66 && isFalse(at)) end = at + 5;
  else return 0;
  hashOn(at, end, seed1 ^ kind, seed2 ^ kind);
  note(slot, kind | mark, at, end);
  return end;
}

function escaped(start: usize, from: usize, slot: usize): usize {
  let close = from;
  while (load<u8>(close) != 0x22) {
    if (load<u8>(close) != 0x5c) return 0;
    close = plainEnd(close + 2);
  }
  const length = hostString(start, close);
  if (length < 0) return 0;
  setLanes(load<u32>(hostLanes), load<u32>(hostLanes, 4));
  note(slot, kindString | markEscapes, start, close);
  store<u32>(slot, length, valueLength);
  return close + 1;
}

/** As `readNumber` outside: up to 15 digits are exact as a double and as a power of ten. */
function number(start: usize, slot: usize): usize {
  const negative = load<u8>(start) == 0x2d;
  const first = negative ? start + 1 : start;
  let at = first;
  let sum: i64 = 0;
  let digit: u32 = <u32>load<u8>(at) - 0x30;
  while (digit <= 9) {
    sum = sum * 10 + digit;
    digit = <u32>load<u8>(++at) - 0x30;
  }
  const whole = <i32>(at - first);
  if (whole == 0 || (whole > 1 && load<u8>(first) == 0x30)) return 0;
  let fraction: i32 = 0;
  if (load<u8>(at) == 0x2e) {
    const point = at;
    digit = <u32>load<u8>(++at) - 0x30;
    while (digit <= 9) {
      sum = sum * 10 + digit;
      digit = <u32>load<u8>(++at) - 0x30;
    }
    fraction = <i32>(at - point - 1);
    if (fraction == 0) return 0;
  }
  if ((load<u8>(at) | 0x20) == 0x65 || whole + fraction > 15) return long(start, slot);
  let double = <f64>sum;
  if (fraction) double /= load<f64>(powers + (<usize>fraction << 3));
  if (negative) double = -double;
  hashDouble(double);
  note(slot, fraction ? kindNumber : kindInteger | markPlain, start, at);
  store<f64>(slot, double, valueNumber);
  return at;
}

function long(start: usize, slot: usize): usize {
  const end = decimal(start);
  if (!end) {
    const read = hostNumber(start, slot);
    setLanes(load<u32>(slot, valueLanes), load<u32>(slot, valueLanes + 4));
    return read;
  }
  note(slot, integer ? kindInteger : kindNumber, start, end);
  store<f64>(slot, decimalValue, valueNumber);
  return end;
}
