import { hashDouble, hashOn, seed1, seed2 } from './hash';
import { powersOfFive, powersOfFiveBytes, powersOfFiveReach, scratch } from './memory';
import { isDigit } from './tokens';

@inline const decimalSeed: u32 = 0x5f356495;
/** Any 19 digits fit a 64-bit register. */
@inline const digitLimit: i32 = 19;
/** Any 15 digits are one double and no other 15 digits'. */
@inline const exactDigits: i32 = 15;

/** The last number that `decimal` read. */
export let value: f64 = 0;
export let integer: bool = false;

/**
 * Reads a number with an exponent or with many digits: the position after it; 0 for what is no number or is to be read
 * outside. Its hash, as `readNumber` makes it, is left in the lanes.
 */
export function decimal(from: usize): usize {
  let at = from;
  const negative = load<u8>(at) == 0x2d;
  if (negative) at++;
  let digits: u64 = 0;
  let count = 0;
  let power = 0;
  let fraction = false;
  integer = true;
  while (true) {
    const byte: u32 = load<u8>(at);
    if (isDigit(byte)) {
      if (count > 0 || byte != 0x30) {
        if (count == digitLimit) return 0;
        digits = digits * 10 + (byte - 0x30);
        count++;
      }
      if (fraction) power--;
    } else if (byte == 0x2e && !fraction) {
      fraction = true;
      integer = false;
    } else break;
    at++;
  }
  if ((load<u8>(at) | 0x20) == 0x65) {
    integer = false;
    at++;
    const sign: u32 = load<u8>(at);
    if (sign == 0x2b || sign == 0x2d) at++;
    const first = at;
    let exponent = 0;
    while (isDigit(load<u8>(at)) && exponent < 1000) exponent = exponent * 10 + (load<u8>(at++) - 0x30);
    if (at == first || isDigit(load<u8>(at))) return 0;
    power += sign == 0x2d ? -exponent : exponent;
  }
  if (digits == 0) {
    value = negative ? -0.0 : 0.0;
    hashDouble(0);
    return at;
  }
  while (digits % 10 == 0) {
    digits /= 10;
    power++;
    count--;
  }
  const double = doubleOf(digits, power);
  if (double == 0) return 0;
  value = negative ? -double : double;
  if (count <= exactDigits) hashDouble(value);
  else {
    store<u64>(scratch, digits);
    store<i32>(scratch, power, 8);
    store<i32>(scratch, negative ? 1 : 0, 12);
    hashOn(scratch, scratch + 16, seed1 ^ decimalSeed, seed2 ^ decimalSeed);
  }
  return at;
}

/**
 * The double nearest to `digits` × 10^`power` (Lemire, "Number Parsing at a Gigabyte per Second", 2021); 0 where that
 * cannot be told from the powers at hand, or is no ordinary double. `digits` is not 0.
 */
export function doubleOf(digits: u64, power: i32): f64 {
  if (power < -powersOfFiveReach || power > powersOfFiveReach) return 0;
  const zeros = <i32>clz(digits);
  const normal = digits << zeros;
  const five: usize = powersOfFive + (power + powersOfFiveReach) * powersOfFiveBytes;
  multiply(normal, load<u64>(five));
  let high = productHigh;
  let low = productLow;
  if ((high & 0x1ff) == 0x1ff) {
    multiply(normal, load<u64>(five, 8));
    low += productHigh;
    if (productHigh > low) high++;
    if (low == u64.MAX_VALUE && (power < -27 || power > 55)) return 0;
  }
  const upper = <i32>(high >> 63);
  let mantissa = high >> (upper + 9);
  let exponent = (((152170 + 65536) * power) >> 16) + 63 + upper - zeros + 1023;
  if (exponent <= 0) return 0;
  // Halfway between two doubles: to the even one.
  if (low <= 1 && power >= -4 && power <= 23 && (mantissa & 3) == 1 && mantissa << (upper + 9) == high) mantissa &= ~1;
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >= <u64>2 << 52) {
    mantissa = <u64>1 << 52;
    exponent++;
  }
  if (exponent >= 0x7ff) return 0;
  return reinterpret<f64>((mantissa & ~(<u64>1 << 52)) | (<u64>exponent << 52));
}

let productHigh: u64 = 0;
let productLow: u64 = 0;

/** 64 × 64 bits: the product's halves in `productHigh` and `productLow`. */
function multiply(left: u64, right: u64): void {
  const leftLow = left & 0xffffffff;
  const leftHigh = left >> 32;
  const rightLow = right & 0xffffffff;
  const rightHigh = right >> 32;
  const low = leftLow * rightLow;
  const middle = leftHigh * rightLow + (low >> 32);
  const other = leftLow * rightHigh + (middle & 0xffffffff);
  productHigh = leftHigh * rightHigh + (middle >> 32) + (other >> 32);
  productLow = (other << 32) | (low & 0xffffffff);
}
