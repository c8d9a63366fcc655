import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogueEntry } from '../core/catalogue/catalogue.ts';
import { isMissing } from './create-only.ts';
import { namesIn } from './folder-names.ts';

/** How long a look at the folder counts, in milliseconds: other processes' rows are seen by then. */
const lookedForMs = 1_000;

/**
 * Bytes in use by one owner, from the rows of the catalogue in a folder. Rows never change, so that each is read once,
 * and of each only what is needed here is kept; one's own are counted when they are written.
 */
export class UsedBytes {
  readonly #folder: string;
  /** By `<session>/<file>`. */
  readonly #rows = new Map<string, { readonly bytes: number; readonly until: string }>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  /** `folder`: `catalog/<owner>`. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Throws what the file system throws. */
  async at(now: string): Promise<number> {
    if (performance.now() - this.#lookedAt > lookedForMs) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      await this.#looking;
    }
    let sum = 0;
    for (const { bytes, until } of this.#rows.values()) if (until > now) sum += bytes;
    return sum;
  }

  add(session: string, file: string, { status, bytes, availableUntil }: CatalogueEntry): void {
    this.#rows.set(`${session}/${file}`, { bytes: status === 'stored' ? bytes : 0, until: availableUntil });
  }

  async #look(): Promise<void> {
    const seen = new Set<string>();
    for (const session of await namesIn(this.#folder)) {
      for (const file of await namesIn(join(this.#folder, session))) {
        if (!file.endsWith('.json')) continue;
        seen.add(`${session}/${file}`);
        if (!this.#rows.has(`${session}/${file}`)) await this.#read(session, file);
      }
    }
    // What a sweep has removed takes no room any more.
    for (const name of this.#rows.keys()) if (!seen.has(name)) this.#rows.delete(name);
    this.#lookedAt = performance.now();
  }

  async #read(session: string, file: string): Promise<void> {
    try {
      this.add(session, file, JSON.parse(await readFile(join(this.#folder, session, file), 'utf8')) as CatalogueEntry);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}
