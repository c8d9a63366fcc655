import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Catalogue, CatalogueEntry, CataloguePage, VersionClaim } from '../core/catalogue/catalogue.ts';
import { ClaimcheckError } from '../core/errors.ts';
import type { OwnerKey } from '../core/reference/owner-key.ts';
import { parseReference } from '../core/reference/reference.ts';
import { createOnly, isMissing } from './create-only.ts';
import { catalogueFolder, safe } from './file-name.ts';
import { namesIn } from './folder-names.ts';
import { UsedBytes } from './used-bytes.ts';

/** Rows never change, so what was read once is not read again; at most this many are kept. */
const remembered = 2_000;
/** Owners whose use of room is known; the ones asked for longest ago go first. */
const rememberedOwners = 100;

/** The catalogue in a folder, one file a row: `catalog/<owner>/<session>/<id>.json`. Several processes may share it. */
export class FileCatalogue implements Catalogue {
  readonly #root: string;
  readonly #rows = new Map<string, CatalogueEntry>();
  readonly #used = new Map<OwnerKey, UsedBytes>();

  constructor(root: string) {
    this.#root = root;
  }

  async add(entry: CatalogueEntry): Promise<void> {
    const path = this.#path(entry.owner, entry.ref);
    if (!(await work(() => createOnly(path, JSON.stringify(entry))))) return;
    this.#usedBy(entry.owner).add(parseReference(entry.ref).session, basename(path), entry);
  }

  async claimVersion(claim: VersionClaim): Promise<string> {
    const name = `${safe(claim.argumentDigest.slice(0, 64))}-${claim.version}`;
    const path = join(catalogueFolder(this.#root, claim.owner, claim.session), 'versions', name);
    return work(async () => ((await createOnly(path, claim.ref)) ? claim.ref : readFile(path, 'utf8')));
  }

  async find(owner: OwnerKey, ref: string): Promise<CatalogueEntry | undefined> {
    return work(() => this.#read(this.#path(owner, ref)));
  }

  async session(owner: OwnerKey, session: string): Promise<readonly CatalogueEntry[]> {
    return work(() => this.#folder(catalogueFolder(this.#root, owner, session)));
  }

  async page(owner: OwnerKey, after: string | null, limit: number): Promise<CataloguePage> {
    const rows = (await this.#all(owner)).reverse();
    const from = after === null ? 0 : rows.findIndex((row) => place(row) < after);
    const entries = from < 0 ? [] : rows.slice(from, from + limit);
    const last = entries.at(-1);
    return { entries, last: last === undefined || from + limit >= rows.length ? null : place(last) };
  }

  async usedBytes(owner: OwnerKey, now: string): Promise<number> {
    return work(() => this.#usedBy(owner).at(now));
  }

  #usedBy(owner: OwnerKey): UsedBytes {
    const known = this.#used.get(owner) ?? new UsedBytes(catalogueFolder(this.#root, owner));
    this.#used.delete(owner);
    this.#used.set(owner, known);
    const [oldest] = this.#used.keys();
    if (this.#used.size > rememberedOwners && oldest !== undefined) this.#used.delete(oldest);
    return known;
  }

  async #all(owner: OwnerKey): Promise<CatalogueEntry[]> {
    return work(async () => {
      const folder = catalogueFolder(this.#root, owner);
      const sessions = await namesIn(folder);
      const rows = await Promise.all(sessions.map((session) => this.#folder(join(folder, session))));
      return rows.flat().sort(oldestFirst);
    });
  }

  async #folder(folder: string): Promise<CatalogueEntry[]> {
    const files = (await namesIn(folder)).filter((name) => name.endsWith('.json'));
    const rows: CatalogueEntry[] = [];
    const unread: Promise<CatalogueEntry | undefined>[] = [];
    for (const name of files) {
      const path = join(folder, name);
      const known = this.#rows.get(path);
      if (known === undefined) unread.push(this.#read(path));
      else rows.push(known);
    }
    for (const row of await Promise.all(unread)) if (row !== undefined) rows.push(row);
    return rows.sort(oldestFirst);
  }

  async #read(path: string): Promise<CatalogueEntry | undefined> {
    const known = this.#rows.get(path);
    if (known !== undefined) return known;
    try {
      const row = JSON.parse(await readFile(path, 'utf8')) as CatalogueEntry;
      if (this.#rows.size >= remembered) this.#rows.clear();
      this.#rows.set(path, row);
      return row;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #path(owner: OwnerKey, ref: string): string {
    const { session, id } = parseReference(ref);
    return join(catalogueFolder(this.#root, owner, session), `${id}.json`);
  }
}

function place(entry: CatalogueEntry): string {
  return `${entry.acquiredAt}|${entry.ref}`;
}

function oldestFirst(one: CatalogueEntry, other: CatalogueEntry): number {
  return place(one) < place(other) ? -1 : 1;
}

async function work<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof ClaimcheckError) throw error;
    const what = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new ClaimcheckError('StorageUnavailable', `storage: ${what}`, {}, { cause: error });
  }
}
