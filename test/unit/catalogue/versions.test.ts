import type { CatalogueEntry } from '../../../core/catalogue/catalogue.ts';
import { findReusable } from '../../../core/catalogue/reuse.ts';
import { claimVersion, nextVersion, recordRefreshFailure } from '../../../core/catalogue/versions.ts';
import { ownerKey } from '../../../core/reference/owner-key.ts';
import { MemoryCatalogue } from '../../fakes/memory-catalogue.ts';
import { ada, aSession, entryOf, indexOf } from '../../fakes/stored-result.ts';

const index = indexOf(Buffer.from('[{"id":1}]'));
const id = (n: number) => n.toString(16).padStart(32, '0');
const entry = (n: number, change: Partial<CatalogueEntry> = {}): CatalogueEntry =>
  entryOf(index, { ref: `${aSession}/${id(n)}`, reusable: true, acquiredAt: `2026-05-0${n}T00:00:00.000Z`, ...change });
const call = { owner: ada, session: aSession, tool: 'listing', argumentDigest: 'd1' };

describe('versions', () => {
  test('the first is 1; a refresh is the next and names the one before it', async () => {
    expect(await nextVersion(call, new MemoryCatalogue())).toEqual({ version: 1, supersedes: null });
    const first = entry(1);
    expect(await nextVersion(call, new MemoryCatalogue([first]))).toEqual({ version: 2, supersedes: first.ref });
  });
  test('other arguments, tools, sessions and owners are other results', async () => {
    const catalogue = new MemoryCatalogue([
      entry(1, { argumentDigest: 'd2' }),
      entry(2, { tool: 'other' }),
      entry(3, { ref: `${'b'.repeat(32)}/${id(3)}` }),
      entry(4, { owner: ownerKey('bob') }),
    ]);
    expect(await nextVersion(call, catalogue)).toEqual({ version: 1, supersedes: null });
  });
  test('a failed refresh leaves the old version as it was and is kept beside it, without content', async () => {
    const first = entry(1, { exportId: id(9), fileName: 'x.csv' });
    const catalogue = new MemoryCatalogue([first]);
    const failed = await recordRefreshFailure(
      first,
      { runId: id(5), code: 'ToolUnavailable', at: '2026-05-03T00:00:00.000Z', rolesDigest: 'r', id: id(7) },
      catalogue,
    );
    expect(await catalogue.find(ada, first.ref)).toEqual(first);
    expect(await catalogue.find(ada, failed.ref)).toMatchObject({
      status: 'refresh_failed',
      supersedes: first.ref,
      version: 2,
      failure: 'ToolUnavailable',
      bytes: 0,
      fields: [],
      records: null,
    });
    expect(failed).not.toHaveProperty('exportId');
    // The next success is version 2 still, of version 1: a failure is no version.
    expect(await nextVersion(call, catalogue)).toEqual({ version: 2, supersedes: first.ref });
  });
});

describe('the number of a version that is about to be written', () => {
  const result = { ref: `${aSession}/${id(4)}`, availableUntil: '2026-06-01T00:00:00.000Z' };
  test('is the first free one; what holds the ones before it is superseded', async () => {
    const catalogue = new MemoryCatalogue([entry(1), entry(2)]);
    const holders = [entry(1).ref, entry(2).ref, result.ref];
    const claim = async () => holders.shift() as string;
    const claimed = await claimVersion(call, null, result, {
      claimVersion: claim,
      find: catalogue.find.bind(catalogue),
    });
    expect(claimed).toEqual({ version: 3, supersedes: entry(2).ref });
  });
  test('is not looked for for ever in a catalogue that gives none', async () => {
    const catalogue = { claimVersion: async () => undefined as never, find: async () => undefined };
    await expect(claimVersion(call, { ref: 'x', version: 4 }, result, catalogue)).rejects.toMatchObject({
      code: 'StorageUnavailable',
      message: 'catalogue: versions 5 to 1004 of the call are taken, one free was expected',
    });
  });
});

describe('reuse instead of a call', () => {
  const tool = { name: 'listing', version: '3', reuse: { maxAgeSeconds: 3600 } };
  const scope = { ...call, rolesDigest: 'r1', now: new Date('2026-05-01T00:30:00Z') };
  const held = (bytes: number | undefined = index.bytes) => ({
    headBody: async () => (bytes === undefined ? undefined : ({ bytes, etag: '', metadata: {} } as never)),
  });
  const find = (entries: readonly CatalogueEntry[], change: object = {}, on: object = {}, store = held()) =>
    findReusable({ ...tool, ...on }, { ...scope, ...change }, { catalogue: new MemoryCatalogue(entries), store });

  test('the same arguments, tool version, owner and scope, young enough and held', async () => {
    expect((await find([entry(1)]))?.ref).toBe(entry(1).ref);
  });
  test.each<[string, Promise<unknown>]>([
    [
      'a tool that is not marked',
      findReusable({ name: 'listing', version: '3' }, scope, {
        catalogue: new MemoryCatalogue([entry(1)]),
        store: held(),
      }),
    ],
    ['an entry that is not', find([entry(1, { reusable: false })])],
    ['other arguments', find([entry(1)], { argumentDigest: 'd2' })],
    ['another tool version', find([entry(1, { toolVersion: '2' })])],
    ['another owner', find([entry(1)], { owner: ownerKey('bob') })],
    ['another session', find([entry(1)], { session: 'b'.repeat(32) })],
    ['other roles', find([entry(1)], { rolesDigest: 'r2' })],
    ['too old', find([entry(1)], { now: new Date('2026-05-01T01:00:01Z') })],
    ['expired', find([entry(1, { availableUntil: '2026-05-01T00:30:00Z' })])],
    ['a body that is gone', find([entry(1)], {}, {}, { headBody: async () => undefined })],
    ['a body of another size', find([entry(1)], {}, {}, held(3))],
    ['a failed refresh', find([entry(1, { status: 'refresh_failed' })])],
    [
      'an older version whose newer one does not qualify',
      find([entry(1), entry(2, { reusable: false })], { now: new Date('2026-05-01T00:30:00Z') }),
    ],
  ])('not for %s', async (_name, found) => {
    expect(await found).toBeUndefined();
  });
});
