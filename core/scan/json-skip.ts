import { blank, isEscape, isHex, plain, State } from './json-bytes.ts';

const array = 1;
const object = 0;

/**
 * Where a string's plain bytes end: the first quote, backslash or control character from `i` on, or `to`. Four bytes at
 * a time: in a word, `(w - 0x01…) & ~w & 0x80…` marks zero bytes, and the lowest mark is never a false one.
 */
function plainEnd(b: Uint8Array, words: DataView, from: number, to: number): number {
  let i = from;
  const last = to - 4;
  while (i <= last) {
    const word = words.getInt32(i, true);
    const quotes = word ^ 0x22222222;
    const slashes = word ^ 0x5c5c5c5c;
    const marks =
      (((quotes - 0x01010101) & ~quotes) | ((slashes - 0x01010101) & ~slashes) | ((word - 0x20202020) & ~word)) &
      0x80808080;
    if (marks !== 0) return i + ((31 - Math.clz32(marks & -marks)) >> 3);
    i += 4;
  }
  while (i < to && plain[b[i] as number] === 1) i++;
  return i;
}

/**
 * The fast road through JSON that nobody is told about: whole tokens only, no call, no state between bytes. It stops
 * before anything out of the ordinary (a token that the piece cuts, an exponent, an escape in a key, a fault, the end
 * of the containers it may close) and leaves that to `JsonMachine`, which reads byte by byte.
 */
export class JsonSkip {
  /** Where it stopped: the state before the next token, and the containers open there. */
  state: number = State.value;
  depth = 0;
  /** A line feed stood between tokens. */
  sawLineFeed = false;
  readonly #stopAtLineFeed: boolean;

  constructor(stopAtLineFeed: boolean) {
    this.#stopAtLineFeed = stopAtLineFeed;
  }

  /** Takes tokens of `b[i, to)` in state value, after or key, without closing containers down to `floor` open ones. */
  run(
    b: Uint8Array,
    words: DataView,
    from: number,
    to: number,
    state: number,
    open: number,
    floor: number,
    types: Uint8Array,
  ): number {
    const stopAtLineFeed = this.#stopAtLineFeed;
    // Every token but a string is shorter than this, or read on with care: no look ahead passes the piece's end.
    const safe = to - 6;
    let i = from;
    let mode = state;
    let depth = open;
    let inList = types[depth - 1] === array;
    let j = 0;
    let c = 0;
    // One turn takes what may stand before a value, and the value; a turn that closes a container ends there.
    reading: while (i < safe) {
      c = b[i] as number;
      if (mode === State.after) {
        if (c === 0x2c) {
          mode = inList ? State.value : State.key;
          c = b[++i] as number;
        } else if (c === (inList ? 0x5d : 0x7d)) {
          if (depth <= floor + 1) break;
          depth--;
          i++;
          inList = types[depth - 1] === array;
          continue;
        } else if (blank[c] !== 1) break;
      }
      while (c <= 0x20) {
        if (blank[c] !== 1) break reading;
        if (c === 0x0a) {
          if (stopAtLineFeed) break reading;
          this.sawLineFeed = true;
        }
        if (++i >= safe) break reading;
        c = b[i] as number;
      }
      if (mode === State.after) continue;
      if (mode === State.key) {
        if (c !== 0x22) break;
        j = plainEnd(b, words, i + 1, to);
        if (j >= safe || b[j] !== 0x22 || b[j + 1] !== 0x3a) break;
        i = j + 2;
        mode = State.value;
        c = b[i] as number;
        if (c === 0x20) c = b[++i] as number;
      }
      if (c === 0x22) {
        j = i + 1;
        for (;;) {
          j = plainEnd(b, words, j, to);
          if (j >= to) break reading;
          c = b[j] as number;
          if (c === 0x22) break;
          if (c !== 0x5c || j >= safe) break reading;
          c = b[j + 1] as number;
          if (c === 0x75) {
            if (!isHex(b[j + 2] as number) || !isHex(b[j + 3] as number)) break reading;
            if (!isHex(b[j + 4] as number) || !isHex(b[j + 5] as number)) break reading;
            j += 6;
          } else if (isEscape(c)) j += 2;
          else break reading;
        }
        i = j + 1;
        mode = State.after;
      } else if ((c ^ 0x30) <= 9 || c === 0x2d) {
        j = i + 1;
        if (c === 0x2d) {
          c = b[j++] as number;
          if ((c ^ 0x30) > 9) break;
        }
        if (c !== 0x30) {
          for (;;) {
            c = b[j] as number;
            if ((c ^ 0x30) > 9) break;
            if (++j >= to) break reading;
          }
        } else c = b[j] as number;
        if (c === 0x2e) {
          const point = j;
          do {
            if (++j >= to) break reading;
            c = b[j] as number;
          } while ((c ^ 0x30) <= 9);
          if (j === point + 1) break;
        }
        if (c === 0x65 || c === 0x45) break;
        i = j;
        mode = State.after;
      } else if (c === 0x7b) {
        // The byte after a bracket decides between an empty container and its first member.
        if (depth === types.length) break;
        c = b[i + 1] as number;
        if (c === 0x22) {
          types[depth++] = object;
          inList = false;
          i++;
          mode = State.key;
        } else if (c === 0x7d) {
          i += 2;
          mode = State.after;
        } else break;
      } else if (c === 0x5b) {
        if (depth === types.length) break;
        c = b[i + 1] as number;
        if (c === 0x5d) {
          i += 2;
          mode = State.after;
        } else if (blank[c] === 1) break;
        else {
          types[depth++] = array;
          inList = true;
          i++;
          mode = State.value;
        }
      } else if (i >= safe) break;
      else if (c === 0x74) {
        if (words.getInt32(i, true) !== 0x65757274) break;
        i += 4;
        mode = State.after;
      } else if (c === 0x6e) {
        if (words.getInt32(i, true) !== 0x6c6c756e) break;
        i += 4;
        mode = State.after;
      } else if (c === 0x66) {
        if (words.getInt32(i + 1, true) !== 0x65736c61) break;
        i += 5;
        mode = State.after;
      } else break;
    }
    this.state = mode;
    this.depth = depth;
    return i;
  }
}
