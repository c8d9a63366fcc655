import type { Catalogue, CatalogueEntry, VersionClaim } from '../../core/catalogue/catalogue.ts';

/** The catalogue port in memory, with the same order and the same create-only rule; counts the calls made. */
export class MemoryCatalogue implements Catalogue {
  readonly entries = new Map<string, CatalogueEntry>();
  readonly claims = new Map<string, string>();
  calls = 0;

  constructor(entries: readonly CatalogueEntry[] = []) {
    for (const entry of entries) this.entries.set(`${entry.owner}|${entry.ref}`, entry);
  }

  async add(entry: CatalogueEntry): Promise<void> {
    this.calls += 1;
    const key = `${entry.owner}|${entry.ref}`;
    if (!this.entries.has(key)) this.entries.set(key, structuredClone(entry));
  }

  async claimVersion({ owner, session, tool, argumentDigest, version, ref }: VersionClaim): Promise<string> {
    this.calls += 1;
    const key = [owner, session, tool, argumentDigest, version].join('|');
    const holder = this.claims.get(key) ?? ref;
    this.claims.set(key, holder);
    return holder;
  }

  async find(owner: string, ref: string): Promise<CatalogueEntry | undefined> {
    this.calls += 1;
    return this.entries.get(`${owner}|${ref}`);
  }

  async session(owner: string, session: string): Promise<readonly CatalogueEntry[]> {
    this.calls += 1;
    return this.#of(owner).filter((entry) => entry.ref.startsWith(`${session}/`));
  }

  async page(owner: string, after: string | null, limit: number) {
    this.calls += 1;
    const newestFirst = this.#of(owner).reverse();
    const from = after === null ? 0 : newestFirst.findIndex((entry) => place(entry) === after) + 1;
    const entries = newestFirst.slice(from, from + limit);
    const last = entries.at(-1);
    return { entries, last: last === undefined || from + limit >= newestFirst.length ? null : place(last) };
  }

  async usedBytes(owner: string, now: string): Promise<number> {
    this.calls += 1;
    return this.#of(owner)
      .filter((entry) => entry.status === 'stored' && entry.availableUntil > now)
      .reduce((sum, entry) => sum + entry.bytes, 0);
  }

  #of(owner: string): CatalogueEntry[] {
    return [...this.entries.values()]
      .filter((entry) => entry.owner === owner)
      .sort((a, b) => (place(a) < place(b) ? -1 : 1));
  }
}

function place(entry: CatalogueEntry): string {
  return `${entry.acquiredAt}|${entry.ref}`;
}
