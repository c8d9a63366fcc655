import { isEscape, isHex, State } from './json-bytes.ts';

const literals = ['true', 'false', 'null', 'NaN', 'Infinity'].map((word) => Buffer.from(word, 'latin1'));
const infinity = 4;

/**
 * The inside of a token, byte by byte, wherever a piece may cut it: escapes of strings and keys, numbers, literals. `run`
 * leaves in `state` where the reading stands: in the token still, back in its string or key, `after` it (a number has
 * ended before the byte it stopped at), or, with `faulty`, the state in which the bytes are passed over.
 */
export class JsonToken {
  state: number = State.value;
  faulty = false;
  /** The string that an escape belongs to is a member's key. */
  inKey = false;
  /** Bytes of the NaN or infinity that has just ended, without its sign; else 0. */
  oddBytes = 0;
  #literal: Uint8Array = literals[0] as Uint8Array;
  #literalAt = 0;
  #hexLeft = 0;

  /** Starts the literal whose first byte this is; false: there is none. */
  begin(firstByte: number): boolean {
    const word = literals.findIndex((literal) => literal[0] === firstByte);
    if (word < 0) return false;
    this.#start(word);
    return true;
  }

  run(b: Uint8Array, from: number, to: number, state: number): number {
    this.faulty = false;
    this.oddBytes = 0;
    this.state = state;
    const c = b[from] as number;
    switch (state) {
      case State.escape:
        if (c === 0x75) {
          this.#hexLeft = 4;
          this.state = State.hex;
        } else if (isEscape(c)) this.state = this.inKey ? State.keyString : State.string;
        else return this.#fault(from, c < 0x20 ? State.lostString : State.lostEscape);
        return from + 1;
      case State.hex:
        if (!isHex(c)) return this.#fault(from, State.lostString);
        this.#hexLeft -= 1;
        if (this.#hexLeft === 0) this.state = this.inKey ? State.keyString : State.string;
        return from + 1;
      case State.literal:
        return this.#readLiteral(b, from, to);
      default:
        return this.#readNumber(b, from, to, state);
    }
  }

  #readNumber(b: Uint8Array, from: number, to: number, state: number): number {
    let i = from;
    if (state === State.integer || state === State.fraction || state === State.exponentDigits) {
      while (i < to && isDigit(b[i] as number)) i++;
      if (i === to) return i;
    }
    const c = b[i] as number;
    if (isWholeNumber(state)) {
      if (c === 0x2e && (state === State.integer || state === State.zero)) this.state = State.point;
      else if ((c === 0x65 || c === 0x45) && state !== State.exponentDigits) this.state = State.exponent;
      else {
        this.state = State.after;
        return i;
      }
      return i + 1;
    }
    if (isDigit(c)) this.state = afterDigit(state, c);
    else if (state === State.exponent && (c === 0x2b || c === 0x2d)) this.state = State.exponentSign;
    else if (state === State.minus && c === 0x49) {
      this.#start(infinity);
      this.state = State.literal;
    } else return this.#fault(i, State.lost);
    return i + 1;
  }

  #readLiteral(b: Uint8Array, from: number, to: number): number {
    const word = this.#literal;
    let i = from;
    while (i < to && this.#literalAt < word.length && b[i] === word[this.#literalAt]) {
      i++;
      this.#literalAt++;
    }
    if (this.#literalAt === word.length) {
      this.state = State.after;
      // NaN and the infinities alone begin with a capital.
      if ((word[0] as number) < 0x60) this.oddBytes = word.length;
    } else if (i < to) return this.#fault(i, State.lost);
    return i;
  }

  #start(word: number): void {
    this.#literal = literals[word] as Uint8Array;
    this.#literalAt = 1;
  }

  #fault(at: number, lost: number): number {
    this.faulty = true;
    this.state = lost;
    return at;
  }
}

/** The state after the first digit behind a minus, a point or an exponent. */
function afterDigit(state: number, digit: number): number {
  if (state === State.minus) return digit === 0x30 ? State.zero : State.integer;
  return state === State.point ? State.fraction : State.exponentDigits;
}

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

/** The bytes may end here: nothing of the number is owed. */
export function isWholeNumber(state: number): boolean {
  return state === State.zero || state === State.integer || state === State.fraction || state === State.exponentDigits;
}
