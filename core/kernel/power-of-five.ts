/**
 * The 128 highest bits of 5^`power`, as Lemire's number parsing wants them ("Number Parsing at a Gigabyte per Second",
 * 2021): cut for powers from 0 on and below -27, the next above in between.
 */
export function powerOfFive(power: number): bigint {
  const five = 5n ** BigInt(Math.abs(power));
  const bits = BigInt(five.toString(2).length);
  if (power >= 0) return bits > 128n ? five >> (bits - 128n) : five << (128n - bits);
  // 5^27 is the last that fits 64 bits: up to there one more is the bound that the proof needs, beyond it the cut is.
  const shift = power >= -27 ? bits + 127n : 2n * bits + 128n;
  const inverse = (1n << shift) / five + 1n;
  return inverse >> BigInt(Math.max(0, inverse.toString(2).length - 128));
}
