import type { CatalogueEntry } from '../../core/catalogue/catalogue.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import { scanBytes } from '../../core/scan/result-scanner.ts';
import { encodeIndex } from '../../core/store/index-codec.ts';
import type { ResultIndex } from '../../core/store/result-index.ts';
import type { ResultAddress } from '../../core/store/result-store.ts';

export const ada = ownerKey('ada');
export const aSession = 'a'.repeat(32);
export const anId = '1'.repeat(32);

/** The commit record of a body, made by the real scanner. */
export function indexOf(body: Uint8Array, change: Partial<ResultIndex> = {}): ResultIndex {
  const summary = scanBytes(body, { previewBytes: 2000, profile: true });
  return {
    format: 1,
    ref: `${aSession}/${anId}`,
    tool: 'listing',
    toolVersion: '3',
    runId: '9'.repeat(32),
    turn: 1,
    index: 0,
    kind: summary.kind,
    path: summary.path,
    unit: summary.unit,
    bytes: summary.bytes,
    sha256: summary.sha256,
    etag: '"e"',
    records: summary.records,
    otherLists: summary.otherLists,
    parseLoss: summary.parseLoss,
    table: summary.table,
    fields: summary.fields,
    population: 'finite',
    upstream: summary.upstream,
    coverage: summary.coverage,
    profile: summary.profile,
    chunks: summary.chunks,
    acquiredAt: '2026-05-01T00:00:00.000Z',
    availableUntil: '2026-07-01T00:00:00.000Z',
    gates: ['listing'],
    derivedFrom: [],
    leftOut: [],
    ...change,
  };
}

export function entryOf(index: ResultIndex, change: Partial<CatalogueEntry> = {}): CatalogueEntry {
  return {
    owner: ada,
    ref: index.ref,
    status: 'stored',
    tool: index.tool,
    toolVersion: index.toolVersion,
    gates: index.gates,
    runId: index.runId,
    argumentDigest: 'd1',
    kind: index.kind,
    path: index.path,
    records: index.records,
    unit: index.unit,
    bytes: index.bytes,
    sha256: index.sha256,
    fields: index.fields,
    population: index.population,
    acquiredAt: index.acquiredAt,
    availableUntil: index.availableUntil,
    version: 1,
    supersedes: null,
    derivedFrom: [],
    rolesDigest: 'r1',
    reusable: false,
    ...change,
  };
}

/** The read side of the store over one body in memory; counts requests and the bytes they fetched. */
export class StoredBodies {
  readonly bodies = new Map<string, { body: Uint8Array | null; index: ResultIndex | null }>();
  requests = 0;
  fetched = 0;

  constructor(body?: Uint8Array, index?: ResultIndex) {
    if (body !== undefined && index !== undefined) this.bodies.set(index.ref, { body, index });
  }

  async readIndex(address: ResultAddress): Promise<ResultIndex | undefined> {
    this.requests += 1;
    const index = this.#at(address)?.index ?? undefined;
    if (index !== undefined) this.fetched += encodeIndex(index).length;
    return index;
  }

  async readRange(address: ResultAddress, etag: string, start: number, end: number) {
    this.requests += 1;
    const held = this.#at(address);
    if (held?.body == null || held.index?.etag !== etag) return undefined;
    this.fetched += end - start;
    return held.body.subarray(start, end);
  }

  async readBody(address: ResultAddress, _etag: string) {
    this.requests += 1;
    const body = this.#at(address)?.body ?? null;
    if (body === null) return undefined;
    this.fetched += body.length;
    return (async function* () {
      for (let at = 0; at < body.length; at += 50_000) yield body.subarray(at, at + 50_000);
    })();
  }

  async headBody(address: ResultAddress) {
    const body = this.#at(address)?.body ?? null;
    return body === null ? undefined : { bytes: body.length, etag: '"e"', metadata: {} as never };
  }

  #at(address: ResultAddress) {
    return this.bodies.get(`${address.session}/${address.id}`);
  }
}
