import {
  tallyEarliest,
  tallyEarliestAt,
  tallyLatest,
  tallyLatestAt,
  valueBytes,
  valueEnd,
  valueStart,
} from './memory';
import { isDigit } from './tokens';

/** `core/profile/iso-date.ts`: longer texts are no dates. */
@inline const longest: u32 = 35;

/**
 * As `DateRange.add`, up to the first string that is to be looked at outside, date or not: where that one is noted, or the
 * end. Of the first and the last of the dates, where they are noted is told as well: 0 where it is none of these.
 */
export function dates(first: usize, end: usize): usize {
  let earliest = load<f64>(tallyEarliest);
  let latest = load<f64>(tallyLatest);
  let earliestAt: usize = 0;
  let latestAt: usize = 0;
  let at = first;
  for (; at < end; at += valueBytes) {
    // Marks of a string: how it is spelled otherwise than it reads.
    if (load<u16>(at, 2)) break;
    const start: usize = load<u32>(at, valueStart);
    const instant = instantOf(start, <usize>load<u32>(at, valueEnd));
    if (instant != instant) break;
    if (instant < earliest) {
      earliest = instant;
      earliestAt = at;
    }
    if (instant > latest) {
      latest = instant;
      latestAt = at;
    }
  }
  store<f64>(tallyEarliest, earliest);
  store<f64>(tallyLatest, latest);
  store<u32>(tallyEarliestAt, <u32>earliestAt);
  store<u32>(tallyLatestAt, <u32>latestAt);
  return at;
}

/** As `isoInstant`, with the same operations, of `YYYY-MM-DD[THH:MM[:SS[.fraction]][Z]]`; NaN for anything else. */
@inline
function instantOf(start: usize, end: usize): f64 {
  const length = <u32>(end - start);
  if (length < 10 || length > longest) return NaN;
  // Each byte less the least that may stand there; then at most 9 for a digit, 0 for a mark, anything past a date alone.
  const above = i8x16.sub(
    v128.load(start),
    i8x16(0x30, 0x30, 0x30, 0x30, 0x2d, 0x30, 0x30, 0x2d, 0x30, 0x30, 0x54, 0x30, 0x30, 0x3a, 0x30, 0x30),
  );
  const timed = length > 10;
  if (timed) {
    if (length < 16) return NaN;
    const most = i8x16(9, 9, 9, 9, 0, 9, 9, 0, 9, 9, 0, 9, 9, 0, 9, 9);
    if (v128.any_true(i8x16.gt_u(above, most))) return NaN;
  } else {
    const most = i8x16(9, 9, 9, 9, 0, 9, 9, 0, 9, 9, -1, -1, -1, -1, -1, -1);
    if (v128.any_true(i8x16.gt_u(above, most))) return NaN;
  }
  // Numbers of two digits each; an index past the bytes gives 0.
  const tens = i8x16.swizzle(above, i8x16(0, -1, 2, -1, 5, -1, 8, -1, 11, -1, 14, -1, -1, -1, -1, -1));
  const ones = i8x16.swizzle(above, i8x16(1, -1, 3, -1, 6, -1, 9, -1, 12, -1, 15, -1, -1, -1, -1, -1));
  const pairs = i16x8.add(i16x8.mul(tens, i16x8.splat(10)), ones);
  const year = i16x8.extract_lane_s(pairs, 0) * 100 + i16x8.extract_lane_s(pairs, 1);
  const month = i16x8.extract_lane_s(pairs, 2);
  const day = i16x8.extract_lane_s(pairs, 3);
  if (year == 0 || month == 0 || month > 12 || day == 0 || day > monthDays(month)) return NaN;
  const date = <f64>daysFrom1970(year, month, day) * 86400000;
  if (!timed) return date;
  const hours = i16x8.extract_lane_s(pairs, 4);
  const minutes = i16x8.extract_lane_s(pairs, 5);
  if (hours > 24 || minutes > 59) return NaN;
  let millis = <f64>((hours * 60 + minutes) * 60000);
  let at = start + 16;
  if (at < end && load<u8>(at) == 0x3a) {
    // Behind the end stands the quote that closes the string.
    if (!isDigit(load<u8>(at, 1)) || !isDigit(load<u8>(at, 2))) return NaN;
    const seconds = (<i32>load<u8>(at, 1) - 0x30) * 10 + (<i32>load<u8>(at, 2) - 0x30);
    if (seconds > 60) return NaN;
    millis += <f64>(seconds * 1000);
    at += 3;
    if (at < end && load<u8>(at) == 0x2e) {
      const point = at++;
      for (let scale: f64 = 100; at < end && isDigit(load<u8>(at)); at++, scale /= 10) {
        millis += <f64>(<i32>load<u8>(at) - 0x30) * scale;
      }
      if (at == point + 1) return NaN;
    }
  }
  if (at < end && load<u8>(at) == 0x5a) at++;
  return at == end ? date + millis : NaN;
}

/** The 29th of February is a date in any year. */
@inline
function monthDays(month: i32): i32 {
  return month == 2 ? 29 : 30 + ((month + (month >> 3)) & 1);
}

@inline
function daysFrom1970(year: i32, month: i32, day: i32): i32 {
  const past = year - 1;
  const leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const before = (367 * month - 362) / 12 - (month > 2 ? 2 : 0);
  return year * 365 + past / 4 - past / 100 + past / 400 + before + (leap && month > 2 ? 1 : 0) + day - 719528;
}
