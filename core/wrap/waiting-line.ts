interface Waiting {
  readonly since: number;
  readonly start: (placed: boolean) => void;
}

/**
 * A number of places, and a line of those who wait for one, first come first served. As long as places are left well,
 * the line moves and everybody in it waits; when none was for `waitMs`, those who have waited that long are sent away.
 */
export class WaitingLine {
  readonly #most: number;
  readonly #waitMs: number;
  readonly #waiting: Waiting[] = [];
  #busy = 0;
  #moved = 0;
  /** One for the whole line: the first in it is always the first whose patience ends. */
  #timer: NodeJS.Timeout | undefined;

  constructor(most: number, waitMs: number) {
    this.#most = most;
    this.#waitMs = waitMs;
  }

  /** True: with a place, to be left again. False: sent away without one. */
  enter(): Promise<boolean> {
    if (this.#busy < this.#most) {
      this.#busy += 1;
      return Promise.resolve(true);
    }
    return new Promise((start) => {
      this.#waiting.push({ since: performance.now(), start });
      this.#watch();
    });
  }

  /** `well`: what was done here came to a good end. */
  leave(well: boolean): void {
    if (well) this.#moved = performance.now();
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy -= 1;
    else next.start(true);
    if (this.#waiting.length === 0) this.#unwatch();
  }

  #watch(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#timer !== undefined) return;
    const patience = Math.max(first.since, this.#moved) + this.#waitMs - performance.now();
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#sendAway();
        this.#watch();
      },
      Math.max(1, patience),
    );
  }

  #unwatch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #sendAway(): void {
    const now = performance.now();
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (Math.max(first.since, this.#moved) + this.#waitMs > now) return;
      this.#waiting.shift();
      first.start(false);
    }
  }
}
