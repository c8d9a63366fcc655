/** A JSON number as sign, significant digits and exponent: value = 0.DIGITS × 10^exponent. Zero has no digits. */
export interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const zero = 0x30;

/** Reads a JSON number's text without losing a digit; the text must be well formed. */
export function parseDecimal(text: string): Decimal {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return { negative: false, digits: '', exponent: 0 };
  const whole = match[2] ?? '';
  const all = whole + (match[3] ?? '');
  // By hand: a pattern for the zeros at the end tries every run of zeros before them, which is quadratic.
  let head = 0;
  while (head < all.length && all.charCodeAt(head) === zero) head += 1;
  if (head === all.length) return { negative: false, digits: '', exponent: 0 };
  let tail = all.length;
  while (all.charCodeAt(tail - 1) === zero) tail -= 1;
  const digits = all.slice(head, tail);
  // An exponent of more digits than a double holds is as good as infinite: order is kept, the text is untouched.
  const shift = Math.max(-1e15, Math.min(1e15, Number(match[4] ?? 0)));
  return { negative: match[1] === '-', digits, exponent: whole.length - head + shift };
}

/** The one spelling that equal decimals share. */
export function canonicalDecimal(decimal: Decimal): string {
  return `${decimal.negative ? '-' : ''}${decimal.digits}e${decimal.exponent}`;
}

/** Negative, zero or positive as `left` is below, equal to or above `right`, exactly. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  const leftSign = sign(left);
  const rightSign = sign(right);
  if (leftSign !== rightSign) return leftSign - rightSign;
  const magnitude = left.exponent - right.exponent || compareDigits(left.digits, right.digits);
  return leftSign * magnitude;
}

function sign(decimal: Decimal): number {
  if (decimal.digits === '') return 0;
  return decimal.negative ? -1 : 1;
}

function compareDigits(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
