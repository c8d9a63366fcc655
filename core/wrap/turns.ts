/**
 * How many results are worked on at once: each holds its beginning and a scanner, so that what waits must hold neither.
 * Who has waited longer than the bound goes on; the upload pool then says that there is no place.
 */
export class Turns {
  readonly #most: number;
  readonly #waitMs: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(most: number, waitMs: number) {
    this.#most = most;
    this.#waitMs = waitMs;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#busy >= this.#most) await this.#wait();
    this.#busy += 1;
    try {
      return await task();
    } finally {
      this.#busy -= 1;
      this.#waiting.shift()?.();
    }
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        const at = this.#waiting.indexOf(start);
        if (at >= 0) this.#waiting.splice(at, 1);
        resolve();
      }, this.#waitMs);
      this.#waiting.push(start);
    });
  }
}
