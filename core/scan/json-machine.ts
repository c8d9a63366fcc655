import { blank, plain, State } from './json-bytes.ts';
import { JsonRecovery } from './json-recovery.ts';
import { JsonSkip } from './json-skip.ts';
import { isWholeNumber, JsonToken } from './json-token.ts';
import { plainBytes } from './plain-bytes.ts';

export { State } from './json-bytes.ts';

/**
 * What a `JsonMachine` tells its owner. `depth` is the number of containers open around the value. Values nested
 * deeper than the machine's `watch` are passed over without a call, which is what makes long lists cheap.
 */
export interface JsonEvents {
  /** A value begins at this offset with this byte. A fault inside it still ends with `valueEnd`. */
  valueStart(at: number, depth: number, firstByte: number): void;
  /** The value's last byte is before `end`. `bad`: it is not JSON, up to where its list went on. */
  valueEnd(end: number, depth: number, bad: boolean): void;
  /** A member's key, between its quotes, as raw bytes of this piece; a key split over pieces comes in several calls. */
  keyPiece(piece: Uint8Array, start: number, end: number, depth: number, first: boolean): void;
  /** The whole value has ended and something else follows it; `write` stops there. Not called when reading lines. */
  trailing(at: number): void;
  /** Reading lines: the line of the last value ended well. */
  lineEnd(): void;
}

/** Takes whole values out of the machine's hands where one would start. */
export interface JsonRuns {
  /** Reads well-formed values of `b[from, to)`, each with what separates it from the next; answers where it stopped. */
  run(b: Uint8Array, base: number, from: number, to: number): number;
  /** A line feed stood between tokens of one of them. */
  readonly sawLineFeed: boolean;
}

/** Nesting beyond this is a fault, not an exception: the stack of open containers takes a byte a level. */
const maxDepth = 1_000_000;
const array = 1;
const object = 0;

/**
 * A strict JSON recogniser (RFC 8259) over bytes, fed in pieces cut anywhere, without recursion and without making
 * values. `NaN`, `Infinity` and `-Infinity` are let through and counted in `odd`: Python writes them. A fault inside
 * an element of a list costs that element only; a fault elsewhere ends the reading (`fault` is its offset).
 */
export class JsonMachine {
  /** Deepest values that are reported. */
  watch: number;
  depth = 0;
  state: number = State.value;
  /** Values so far that are NaN or an infinity. */
  odd = 0;
  /** Offset of the first of them, or -1. */
  firstOdd = -1;
  /** Offset of the first fault, or -1. */
  fault = -1;
  /** Bytes of all pieces before the current one. */
  base: number;
  types = new Uint8Array(64);
  /** Reads runs of values at the depth that is watched, once it is set. */
  runs: JsonRuns | null = null;
  readonly #events: JsonEvents;
  readonly #lines: boolean;
  readonly #token = new JsonToken();
  readonly #skip: JsonSkip;
  readonly #recovery = new JsonRecovery();
  #lineOpen = false;

  /** With `lines`, each line is a value of its own (NDJSON). `base` is the offset of the first byte to come. */
  constructor(
    events: JsonEvents,
    options: { readonly lines?: boolean; readonly watch?: number; readonly base?: number },
  ) {
    this.#events = events;
    this.#lines = options.lines ?? false;
    this.#skip = new JsonSkip(this.#lines);
    this.watch = options.watch ?? Number.MAX_SAFE_INTEGER;
    this.base = options.base ?? 0;
  }

  /** Stands as if inside a list, just before an element of it. */
  resumeInList(): void {
    this.types[0] = array;
    this.depth = 1;
    this.watch = 1;
    this.state = State.value;
  }

  isList(depth: number): boolean {
    return this.types[depth] === array;
  }

  /** Takes `piece[from, to)`. Answers where it stopped: `to`, or earlier once `stop` was called or nothing more matters. */
  write(piece: Uint8Array, from: number, to: number): number {
    const b = plainBytes(piece);
    const events = this.#events;
    const base = this.base - from;
    const lines = this.#lines;
    let types = this.types;
    let i = from;
    let state = this.state;
    let depth = this.depth;
    let watch = this.watch;
    let c = 0;
    let keyFrom = from;
    let keyFirst = false;
    const skip = this.#skip;
    const token = this.#token;
    const recovery = this.#recovery;
    const words = new DataView(b.buffer, b.byteOffset, b.length);
    while (i < to) {
      // Where a value starts, not before it: what a run left there is read here, and not tried again at every blank.
      if (depth === watch && state === State.value && this.runs !== null && blank[b[i] as number] !== 1) {
        i = this.runs.run(b, base, i, to);
        if (this.runs.sawLineFeed) skip.sawLineFeed = true;
        if (i >= to) break;
      }
      if (depth > watch && state === State.firstKey && b[i] === 0x22) state = State.key;
      if (depth > watch && (state === State.value || state === State.after || state === State.key)) {
        i = skip.run(b, words, i, to, state, depth, watch, types);
        state = skip.state;
        depth = skip.depth;
        if (i >= to) break;
      }
      switch (state) {
        case State.string:
          while (i < to && plain[b[i] as number] === 1) i++;
          if (i === to) break;
          c = b[i] as number;
          if (c === 0x22) {
            i++;
            state = depth === 0 ? State.done : State.after;
            if (depth <= watch) {
              this.depth = depth;
              events.valueEnd(base + i, depth, false);
              watch = this.watch;
            }
            // The usual next byte, without another turn of the switch.
            if (i < to && b[i] === 0x2c && depth > 0) {
              i++;
              state = types[depth - 1] === array ? State.value : State.key;
            }
          } else if (c === 0x5c) {
            i++;
            token.inKey = false;
            state = State.escape;
          } else state = this.#fail(i, base, depth, State.lostString);
          break;
        case State.keyString:
          while (i < to && plain[b[i] as number] === 1) i++;
          if (i === to) break;
          c = b[i] as number;
          if (c === 0x22) {
            if (depth <= watch) events.keyPiece(b, keyFrom, i, depth, keyFirst);
            i++;
            state = State.colon;
            if (i < to && b[i] === 0x3a) {
              i++;
              state = State.value;
            }
          } else if (c === 0x5c) {
            i++;
            token.inKey = true;
            state = State.escape;
          } else state = this.#fail(i, base, depth, State.lostString);
          break;
        case State.firstElement:
        case State.value: {
          c = b[i] as number;
          if (blank[c] === 1) {
            if (c === 0x0a && this.#newline(depth)) state = State.lostLine;
            else i++;
            break;
          }
          if (c === 0x5d && state === State.firstElement) {
            depth--;
            i++;
            state = depth === 0 ? State.done : State.after;
            if (depth <= watch) {
              this.depth = depth;
              events.valueEnd(base + i, depth, false);
              watch = this.watch;
            }
            break;
          }
          if (depth <= watch) {
            this.depth = depth;
            if (lines) this.#lineOpen = true;
            events.valueStart(base + i, depth, c);
            watch = this.watch;
          }
          if (c === 0x22) {
            i++;
            state = State.string;
          } else if (c === 0x7b || c === 0x5b) {
            if (depth === types.length) {
              if (depth >= maxDepth) {
                state = this.#fail(i, base, depth, State.lost);
                break;
              }
              types = this.#deeper();
            }
            types[depth] = c === 0x5b ? array : object;
            depth++;
            i++;
            state = c === 0x5b ? State.firstElement : State.firstKey;
          } else if (c >= 0x31 && c <= 0x39) {
            i++;
            state = State.integer;
          } else if (c === 0x30) {
            i++;
            state = State.zero;
          } else if (c === 0x2d) {
            i++;
            state = State.minus;
          } else {
            state = token.begin(c) ? State.literal : this.#fail(i, base, depth, State.lost);
            if (state === State.literal) i++;
          }
          break;
        }
        case State.after:
          c = b[i] as number;
          if (c === 0x2c) {
            i++;
            state = types[depth - 1] === array ? State.value : State.key;
          } else if (c === 0x7d || c === 0x5d) {
            if ((types[depth - 1] === array) !== (c === 0x5d)) {
              state = this.#fail(i, base, depth, State.lost);
              break;
            }
            depth--;
            i++;
            state = depth === 0 ? State.done : State.after;
            if (depth <= watch) {
              this.depth = depth;
              events.valueEnd(base + i, depth, false);
              watch = this.watch;
            }
            // The usual way on in a list of objects, without further turns of the switch.
            if (i < to && b[i] === 0x2c && depth > 0) {
              i++;
              state = types[depth - 1] === array ? State.value : State.key;
            }
          } else if (blank[c] === 1) {
            if (c === 0x0a && this.#newline(depth)) state = State.lostLine;
            else i++;
          } else state = this.#fail(i, base, depth, State.lost);
          break;
        case State.firstKey:
        case State.key:
          c = b[i] as number;
          if (c === 0x22) {
            i++;
            state = State.keyString;
            keyFrom = i;
            keyFirst = true;
          } else if (blank[c] === 1) {
            if (c === 0x0a && this.#newline(depth)) state = State.lostLine;
            else i++;
          } else if (c === 0x7d && state === State.firstKey) {
            depth--;
            i++;
            state = depth === 0 ? State.done : State.after;
            if (depth <= watch) {
              this.depth = depth;
              events.valueEnd(base + i, depth, false);
              watch = this.watch;
            }
          } else state = this.#fail(i, base, depth, State.lost);
          break;
        case State.colon:
          c = b[i] as number;
          if (c === 0x3a) {
            i++;
            state = State.value;
          } else if (blank[c] === 1) {
            if (c === 0x0a && this.#newline(depth)) state = State.lostLine;
            else i++;
          } else state = this.#fail(i, base, depth, State.lost);
          break;
        case State.escape:
        case State.hex:
        case State.minus:
        case State.zero:
        case State.integer:
        case State.point:
        case State.fraction:
        case State.exponent:
        case State.exponentSign:
        case State.exponentDigits:
        case State.literal:
          i = token.run(b, i, to, state);
          state = token.state;
          if (state === State.after) {
            if (token.oddBytes > 0 && this.odd++ === 0) this.firstOdd = base + i - token.oddBytes;
            state = depth === 0 ? State.done : State.after;
            if (depth <= watch) {
              this.depth = depth;
              events.valueEnd(base + i, depth, false);
              watch = this.watch;
            }
          } else if (token.faulty) state = this.#fail(i, base, depth, state);
          break;
        case State.done:
          c = b[i] as number;
          if (blank[c] === 1) {
            i++;
            if (lines && c === 0x0a) {
              this.#lineOpen = false;
              events.lineEnd();
              state = State.value;
            }
          } else if (lines) state = this.#fail(i, base, depth, State.lostLine);
          else {
            this.state = State.dead;
            this.depth = depth;
            this.base = base + to;
            events.trailing(base + i);
            return i;
          }
          break;
        case State.lostLine:
        case State.lost:
        case State.lostString:
        case State.lostEscape:
          i = recovery.run(b, i, to, state, depth);
          state = recovery.state;
          depth = recovery.depth;
          if (recovery.given) {
            this.depth = depth;
            if (lines) {
              if (this.fault < 0) this.fault = base + i;
              this.#lineOpen = false;
            }
            events.valueEnd(base + i, depth, true);
            watch = this.watch;
            // The line feed itself is over with the line; what ends an element is the list's.
            if (lines) i++;
          }
          break;
        default:
          i = to;
      }
    }
    const inKey = state === State.keyString || ((state === State.escape || state === State.hex) && token.inKey);
    if (inKey && depth <= watch && (keyFrom < to || keyFirst)) events.keyPiece(b, keyFrom, to, depth, keyFirst);
    this.state = state;
    this.depth = depth;
    this.base = base + to;
    return i;
  }

  /** A line feed stood inside the value: it is not one line of NDJSON. */
  get brokenOverLines(): boolean {
    return this.#skip.sawLineFeed;
  }

  /** Whether the bytes so far may end here. */
  get wouldEnd(): boolean {
    return this.state === State.done || (this.depth === 0 && isWholeNumber(this.state));
  }

  /** The bytes are over. Answers whether they ended where a value may end. */
  end(): boolean {
    if (this.depth === 0 && isWholeNumber(this.state)) {
      this.state = State.done;
      if (this.watch >= 0) this.#events.valueEnd(this.base, 0, false);
    }
    if (this.#lines) {
      if (this.state === State.done) this.#events.lineEnd();
      else if (this.#lineOpen) {
        if (this.fault < 0) this.fault = this.base;
        this.#events.valueEnd(this.base, 0, true);
      }
      return true;
    }
    return this.state === State.done;
  }

  /** Notes a line feed between tokens; true when it breaks the line that is being read. */
  #newline(depth: number): boolean {
    if (depth === 0) return false;
    if (!this.#lines) this.#skip.sawLineFeed = true;
    return this.#lines;
  }

  /** Answers the state in which the reading goes on after a fault. */
  #fail(i: number, base: number, depth: number, lost: number): number {
    if (this.fault < 0) this.fault = base + i;
    if (this.#lines) return State.lostLine;
    let element = this.watch;
    if (element > depth) {
      element = 1;
      while (element <= depth && this.types[element - 1] !== array) element++;
    }
    // What goes on after a fault is a list; the members of an object do not.
    if (element > depth || element < 1 || this.types[element - 1] !== array) return State.dead;
    this.#recovery.floor = element;
    return lost;
  }

  #deeper(): Uint8Array<ArrayBuffer> {
    const wider = new Uint8Array(this.types.length * 2);
    wider.set(this.types);
    this.types = wider;
    return wider;
  }
}
