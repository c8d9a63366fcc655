import { canonicalDecimal, type Decimal, parseDecimal } from './decimal-text.ts';
import { latin } from './number-range.ts';
import { decimalSeed, hashBytes, hashDouble } from './value-hash.ts';

/** What `readNumber` read. */
export const read = { value: 0, plain: false, integer: false };

/** Up to this many digits the two steps below are exact: both the digits and the power of ten are doubles. */
const exactDigits = 15;
const powers = Float64Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/**
 * Reads a JSON number that starts at `at` into `read` and its hash into `lanes`. Returns the position after it, or
 * -1 when it is none by JSON's grammar.
 */
export function readNumber(bytes: Uint8Array, at: number, end: number): number {
  const negative = bytes[at] === 0x2d;
  const first = negative ? at + 1 : at;
  let next = first;
  let value = 0;
  for (; next < end; next += 1) {
    const digit = (bytes[next] as number) - 0x30;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  const whole = next - first;
  if (whole === 0 || (whole > 1 && bytes[first] === 0x30)) return -1;
  let fraction = 0;
  if (next < end && bytes[next] === 0x2e) {
    const point = next;
    for (next += 1; next < end; next += 1) {
      const digit = (bytes[next] as number) - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    fraction = next - point - 1;
    if (fraction === 0) return -1;
  }
  const power = next < end && ((bytes[next] as number) | 0x20) === 0x65;
  read.integer = fraction === 0 && !power;
  if (power || whole + fraction > exactDigits) return readLong(bytes, at, power ? exponentEnd(bytes, next, end) : next);
  if (fraction > 0) value /= powers[fraction] as number;
  read.value = negative ? -value : value;
  read.plain = fraction === 0;
  hashDouble(read.value);
  return next;
}

function exponentEnd(bytes: Uint8Array, at: number, end: number): number {
  let next = at + 1;
  if (bytes[next] === 0x2b || bytes[next] === 0x2d) next += 1;
  const first = next;
  while (next < end && (bytes[next] as number) >= 0x30 && (bytes[next] as number) <= 0x39) next += 1;
  return next === first ? -1 : next;
}

/** Numbers that a double may not hold: compared and counted by their digits. */
function readLong(bytes: Uint8Array, start: number, end: number): number {
  if (end < 0) return -1;
  const text = latin(bytes, start, end);
  const decimal = parseDecimal(text);
  read.value = Number(text);
  read.plain = false;
  if (
    decimal.digits === '' ||
    (decimal.digits.length <= exactDigits && Number.isFinite(read.value) && read.value !== 0)
  ) {
    hashDouble(read.value);
  } else {
    hashDecimal(decimal);
  }
  return end;
}

/** Digits that fit 64 bits. */
const shortDigits = 19;
const words = new Uint8Array(16);
const fields = new DataView(words.buffer);

/** Equal decimals have one hash, however they are spelled: of up to 19 digits that of digits, power of ten and sign. */
function hashDecimal(decimal: Decimal): void {
  if (decimal.digits.length > shortDigits) {
    const canonical = Buffer.from(canonicalDecimal(decimal), 'latin1');
    hashBytes(canonical, 0, canonical.length, decimalSeed);
    return;
  }
  fields.setBigUint64(0, BigInt(decimal.digits), true);
  fields.setInt32(8, Math.max(-1e9, Math.min(1e9, decimal.exponent - decimal.digits.length)), true);
  fields.setInt32(12, decimal.negative ? 1 : 0, true);
  hashBytes(words, 0, words.length, decimalSeed);
}
