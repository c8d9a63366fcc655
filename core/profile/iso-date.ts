const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const longest = 35;

/**
 * Milliseconds since 1970 of an ISO 8601 date or date-time in `bytes[start, end)` (`YYYY-MM-DD`, optionally
 * `THH:MM[:SS[.fraction]]` with `Z`, an offset or none, which counts as UTC); NaN when it is none.
 */
export function isoInstant(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length < 10 || length > longest) return Number.NaN;
  if (bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d) return Number.NaN;
  const year = two(bytes, start) * 100 + two(bytes, start + 2);
  const month = two(bytes, start + 5);
  const day = two(bytes, start + 8);
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= (monthDays[month - 1] as number))) {
    return Number.NaN;
  }
  const date = daysFrom1970(year, month, day) * 86_400_000;
  return length === 10 ? date : date + timeOfDay(bytes, start + 10, end);
}

/** Milliseconds of `THH:MM[:SS[.fraction]][zone]`, NaN when it is none. */
function timeOfDay(bytes: Uint8Array, start: number, end: number): number {
  const separator = bytes[start];
  if ((separator !== 0x54 && separator !== 0x20) || end - start < 6 || bytes[start + 3] !== 0x3a) return Number.NaN;
  const hours = two(bytes, start + 1);
  const minutes = two(bytes, start + 4);
  if (!(hours <= 24 && minutes <= 59)) return Number.NaN;
  let at = start + 6;
  let millis = (hours * 60 + minutes) * 60_000;
  if (at < end && bytes[at] === 0x3a) {
    const seconds = at + 3 <= end ? two(bytes, at + 1) : Number.NaN;
    if (!(seconds <= 60)) return Number.NaN;
    millis += seconds * 1000;
    at += 3;
    if (at < end && bytes[at] === 0x2e) {
      const first = ++at;
      for (let scale = 100; at < end && isDigit(bytes[at] as number); at += 1, scale /= 10) {
        millis += ((bytes[at] as number) - 0x30) * scale;
      }
      if (at === first) return Number.NaN;
    }
  }
  return at === end ? millis : millis - zoneOffset(bytes, at, end);
}

function zoneOffset(bytes: Uint8Array, at: number, end: number): number {
  const mark = bytes[at];
  if (mark === 0x5a && end - at === 1) return 0;
  if (mark !== 0x2b && mark !== 0x2d) return Number.NaN;
  const colon = bytes[at + 3] === 0x3a ? 1 : 0;
  const length = end - at;
  if (length !== 3 && length !== 5 + colon) return Number.NaN;
  const minutes = two(bytes, at + 1) * 60 + (length === 3 ? 0 : two(bytes, at + 3 + colon));
  return (mark === 0x2b ? minutes : -minutes) * 60_000;
}

/** Days of the proleptic Gregorian calendar. */
function daysFrom1970(year: number, month: number, day: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const past = year - 1;
  const leaps = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  return year * 365 + leaps + (daysBefore[month - 1] as number) + (leap && month > 2 ? 1 : 0) + day - 719_528;
}

function two(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] as number) - 0x30;
  const ones = (bytes[at + 1] as number) - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
