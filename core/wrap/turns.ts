import type { Kept } from '../store/keeping.ts';
import { WaitingLine } from './waiting-line.ts';

/**
 * How many results are worked on at once: each holds its beginning and a scanner, so that what waits must hold neither,
 * however many there are. Who waits while nothing at all comes to an end, for as long as the bound, is told that it is
 * late: it is to be answered without the store, which others of its kind do beside those that hang, as many at once.
 */
export class Turns {
  readonly #inTime: WaitingLine;
  readonly #late: WaitingLine;

  constructor(most: number, waitMs: number) {
    this.#inTime = new WaitingLine(most, waitMs);
    this.#late = new WaitingLine(most, waitMs);
  }

  async run<T extends Pick<Kept, 'warnings'> | null>(task: (late: boolean) => Promise<T>): Promise<T> {
    if (await this.#inTime.enter()) {
      let well = false;
      try {
        const kept = await task(false);
        well = kept === null || kept.warnings.length === 0;
        return kept;
      } finally {
        this.#inTime.leave(well);
      }
    }
    // Only tools that hang themselves hold this one up; then nobody waits for them for ever.
    const placed = await this.#late.enter();
    try {
      return await task(true);
    } finally {
      if (placed) this.#late.leave(true);
    }
  }
}
