import { readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { isMissing } from './create-only.ts';

export interface SweepOptions {
  /** Default: now. */
  readonly now?: Date;
  /** Age from which what is not whole (no commit record, a draft) counts as left over, in milliseconds. Default a day. */
  readonly leftOverMs?: number;
  /** Ends after so many milliseconds and says that it is not complete. Default: no bound. */
  readonly maxMs?: number;
}

export interface Swept {
  /** Results past their date. */
  readonly expired: number;
  /** Bodies without a commit record, and drafts, of writers that ended on the way. */
  readonly leftOver: number;
  readonly bytes: number;
  /** Everything was looked at. */
  readonly complete: boolean;
}

/**
 * Removes from a store in a folder what is past its date, and what a writer has left that ended on the way. Others may
 * read, write and sweep meanwhile: what is young and not whole is somebody's work, a result loses its commit record
 * first, and what somebody else has removed is gone. Begins anywhere, so that sweeps with a bound come round.
 */
export async function sweepFolder(root: string, options: SweepOptions = {}): Promise<Swept> {
  const sweep = new Sweep(root, options);
  await sweep.results();
  await sweep.catalogue();
  return sweep.swept;
}

class Sweep {
  readonly #root: string;
  readonly #now: string;
  readonly #old: number;
  readonly #until: number;
  #expired = 0;
  #leftOver = 0;
  #bytes = 0;
  #complete = true;

  constructor(root: string, { now = new Date(), leftOverMs = 86_400_000, maxMs }: SweepOptions) {
    this.#root = root;
    this.#now = now.toISOString();
    this.#old = now.getTime() - leftOverMs;
    this.#until = maxMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + maxMs;
  }

  get swept(): Swept {
    return { expired: this.#expired, leftOver: this.#leftOver, bytes: this.#bytes, complete: this.#complete };
  }

  /** `results/<owner>/<session>/<id>/` */
  async results(): Promise<void> {
    const results = join(this.#root, 'results');
    for (const owner of await this.#names(results)) {
      for (const session of await this.#names(join(results, owner))) {
        for (const id of await this.#names(join(results, owner, session))) {
          if (this.#isOver()) return;
          await this.#result(join(results, owner, session, id));
        }
        // Who writes makes the folder of a result at once, in which a session is not empty any more.
        await rmdir(join(results, owner, session)).catch(() => {});
      }
      await rmdir(join(results, owner)).catch(() => {});
    }
  }

  /** `catalog/<owner>/<session>/<id>.json`, and `…/versions/<argument digest>-<number>`, which holds a reference. */
  async catalogue(): Promise<void> {
    const catalogue = join(this.#root, 'catalog');
    for (const owner of await this.#names(catalogue)) {
      for (const session of await this.#names(join(catalogue, owner))) {
        const folder = join(catalogue, owner, session);
        for (const file of await this.#names(folder)) {
          if (this.#isOver()) return;
          if (file.endsWith('.draft')) await this.#draft(join(folder, file));
          else if (file.endsWith('.json') && this.#isPast(await jsonOf(join(folder, file)))) {
            await rm(join(folder, file), { force: true });
          }
        }
        const rows = new Set(await this.#names(folder));
        for (const file of await this.#names(join(folder, 'versions'))) {
          if (this.#isOver()) return;
          const claim = join(folder, 'versions', file);
          // The number is claimed a moment before the row is written.
          const ref = (await textOf(claim)) ?? '';
          if (!rows.has(`${ref.split('/').at(-1)}.json`) && (await this.#isOld(claim)))
            await rm(claim, { force: true });
        }
      }
    }
  }

  async #result(folder: string): Promise<void> {
    await breathe();
    const files = await this.#names(folder);
    const metadata = (await jsonOf(join(folder, 'body.json')))?.['metadata'] as Fields | undefined;
    const whole = files.includes('index');
    const left = async () =>
      (await Promise.all([folder, ...files.map((file) => join(folder, file))].map((each) => this.#isOld(each)))).every(
        Boolean,
      );
    if (this.#isPast(metadata)) this.#expired += 1;
    else if (!whole && (await left())) this.#leftOver += 1;
    else {
      for (const file of files) if (file.endsWith('.draft')) await this.#draft(join(folder, file));
      return;
    }
    this.#bytes += (await sizeOf(join(folder, 'body'))) ?? 0;
    // Without its commit record it is no result any more, whatever ends this sweep.
    for (const file of ['index', ...files]) await rm(join(folder, file), { force: true });
    await rmdir(folder).catch(() => {});
  }

  async #draft(path: string): Promise<void> {
    if (!(await this.#isOld(path))) return;
    this.#bytes += (await sizeOf(path)) ?? 0;
    this.#leftOver += 1;
    await rm(path, { force: true });
  }

  #isPast(facts: Fields | undefined): boolean {
    const until = facts?.['availableUntil'];
    return typeof until === 'string' && until !== '' && until <= this.#now;
  }

  async #isOld(path: string): Promise<boolean> {
    const { mtimeMs } = (await present(stat(path))) ?? { mtimeMs: Number.POSITIVE_INFINITY };
    return mtimeMs < this.#old;
  }

  #isOver(): boolean {
    if (performance.now() < this.#until) return false;
    this.#complete = false;
    return true;
  }

  async #names(folder: string): Promise<readonly string[]> {
    const names = (await present(readdir(folder))) ?? [];
    const first = Math.floor(Math.random() * names.length);
    return [...names.slice(first), ...names.slice(0, first)];
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Undefined for what is not there, or not any more. */
async function present<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function textOf(path: string): Promise<string | undefined> {
  return present(readFile(path, 'utf8'));
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await present(stat(path)))?.size;
}

/** Undefined too for what is no JSON: half a record is left where it is. */
async function jsonOf(path: string): Promise<Fields | undefined> {
  const text = await textOf(path);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Fields);
  } catch {
    return undefined;
  }
}
