import { State } from './json-bytes.ts';

/**
 * The way on after a fault: to the end of the list's element that holds it, counting brackets and strings only, or to the
 * end of the line. With `given` the malformed value has ended where `run` stopped, and reading goes on in `state`.
 */
export class JsonRecovery {
  state: number = State.lost;
  depth = 0;
  given = false;
  /** Containers open around the malformed element. */
  floor = 0;

  /** Takes `b[from, to)`; answers where it stopped. */
  run(b: Uint8Array, from: number, to: number, state: number, depth: number): number {
    this.given = false;
    this.state = state;
    this.depth = depth;
    if (state === State.lostLine) return this.#line(b, from, to);
    if (state === State.lostEscape) {
      this.state = State.lostString;
      return from + 1;
    }
    return state === State.lostString ? this.#string(b, from, to) : this.#element(b, from, to);
  }

  #line(b: Uint8Array, from: number, to: number): number {
    this.depth = 0;
    const end = b.indexOf(0x0a, from);
    if (end < 0 || end >= to) return to;
    this.given = true;
    this.state = State.value;
    return end;
  }

  #string(b: Uint8Array, from: number, to: number): number {
    let i = from;
    while (i < to && b[i] !== 0x22 && b[i] !== 0x5c) i++;
    if (i === to) return i;
    this.state = b[i] === 0x22 ? State.lost : State.lostEscape;
    return i + 1;
  }

  #element(b: Uint8Array, from: number, to: number): number {
    for (let i = from; i < to; i++) {
      const c = b[i] as number;
      if (c === 0x22) {
        this.state = State.lostString;
        return i + 1;
      }
      if (c === 0x5b || c === 0x7b) this.depth++;
      else if (c === 0x2c || c === 0x5d || c === 0x7d) {
        if (this.depth === this.floor) {
          // A list ends with its own bracket.
          if (c === 0x7d) this.state = State.dead;
          else {
            this.given = true;
            this.state = State.after;
          }
          return i;
        }
        if (c !== 0x2c) this.depth--;
      }
    }
    return to;
  }
}
