import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import type { CatalogueEntry } from '../../core/catalogue/catalogue.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import { catalogueTable } from '../fakes/catalogue-table.ts';
import { ada, aSession, entryOf, indexOf } from '../fakes/stored-result.ts';
import { TableServer } from '../fakes/table-server.ts';

const index = indexOf(Buffer.from('[{"id":1}]'));
const id = (n: number) => n.toString(16).padStart(32, '0');
const bob = ownerKey('bob');

function entry(n: number, change: Partial<CatalogueEntry> = {}): CatalogueEntry {
  return entryOf(index, {
    ref: `${aSession}/${id(n)}`,
    acquiredAt: new Date(Date.UTC(2026, 4, 1) + n * 1000).toISOString(),
    bytes: n,
    ...change,
  });
}

/** Rows of about 30 KB: a page of 1 MB holds 33 of them, so that paging is met long before any limit. */
const wideFields = Array.from({ length: 300 }, (_, n) => `field_${n}_${'x'.repeat(90)}`);

describe('the catalogue table', () => {
  const server = new TableServer();
  let documents: DynamoDBDocumentClient;
  let catalogue: DynamoCatalogue;

  beforeAll(async () => {
    documents = await server.start();
    await documents.send(new CreateTableCommand(catalogueTable) as never);
    catalogue = new DynamoCatalogue(documents, 'catalog');
  });
  afterAll(() => server.stop());

  test('of writers at the same time one gets the number of a version, and the claim is in no listing', async () => {
    const owner = ownerKey('racer');
    const claim = {
      owner,
      session: aSession,
      tool: 't',
      argumentDigest: 'd',
      version: 2,
      availableUntil: '2030-01-01T00:00:00Z',
    };
    const refs = Array.from({ length: 6 }, (_, n) => `${aSession}/${id(n)}`);
    const holders = await Promise.all(refs.map((ref) => catalogue.claimVersion({ ...claim, ref })));
    expect(new Set(holders).size).toBe(1);
    const [holder = ''] = holders;
    expect(refs).toContain(holder);
    expect(await catalogue.claimVersion({ ...claim, ref: holder })).toBe(holder);
    expect(await catalogue.claimVersion({ ...claim, version: 3, ref: refs[0] as string })).toBe(refs[0]);
    expect(await catalogue.session(owner, aSession)).toEqual([]);
    expect(await catalogue.page(owner, null, 10)).toEqual({ entries: [], last: null });
    expect(await catalogue.usedBytes(owner, '2026-01-01T00:00:00.000Z')).toBe(0);
  });

  test('a row comes back as it was written, with a time to live in whole seconds after its date', async () => {
    const written = entry(1, { owner: ownerKey('solo'), exportId: id(9), derivedFrom: ['x'] });
    await catalogue.add(written);
    expect(await catalogue.find(written.owner, written.ref)).toEqual(written);
    const { Item } = await documents.send(
      new GetCommand({ TableName: 'catalog', Key: { pk: 'solo', sk: written.ref } }),
    );
    expect(Item?.['ttl']).toBe(Date.parse(written.availableUntil) / 1000 + 2 * 24 * 3600);
  });

  test('create-only: a repeat is a success and changes nothing', async () => {
    const written = entry(2, { owner: ownerKey('twice') });
    await catalogue.add(written);
    await catalogue.add({ ...written, bytes: 999, tool: 'other' });
    expect(await catalogue.find(written.owner, written.ref)).toEqual(written);
  });

  test("no argument reaches another owner's row", async () => {
    await catalogue.add(entry(3, { owner: bob }));
    expect(await catalogue.find(ada, entry(3).ref)).toBeUndefined();
    expect(await catalogue.find(bob, entry(3).ref)).toBeDefined();
    expect((await catalogue.page(ada, null, 10)).entries).toEqual([]);
    // A position of Bob's, used by Ada: her own rows after it, which are none.
    expect((await catalogue.page(ada, `${entry(3).acquiredAt} ${entry(3).ref}`, 10)).entries).toEqual([]);
  });

  describe('over several pages of 1 MB', () => {
    const owner = ownerKey('many');
    const count = 120;
    beforeAll(async () => {
      for (let n = count - 1; n >= 0; n -= 1) await catalogue.add(entry(n, { owner, fields: wideFields }));
      await catalogue.add(entry(900, { owner, ref: `${'c'.repeat(32)}/${id(900)}`, bytes: 5 }));
      await catalogue.add(entry(901, { owner, bytes: 7, availableUntil: '2026-05-02T00:00:00.000Z' }));
      await catalogue.add(entry(902, { owner, bytes: 11, status: 'refresh_failed' }));
    }, 60_000);

    test('a session is whole, oldest first, and only that session', async () => {
      const rows = await catalogue.session(owner, aSession);
      expect(rows.map((row) => row.ref)).toEqual(
        [...Array.from({ length: count }, (_, n) => n), 901, 902].map((n) => entry(n).ref),
      );
    });

    test('pages go through all, newest first, each once, and end', async () => {
      const seen: string[] = [];
      let last: string | null = null;
      let pages = 0;
      do {
        const page: Awaited<ReturnType<DynamoCatalogue['page']>> = await catalogue.page(owner, last, 50);
        expect(page.entries.length).toBeLessThanOrEqual(50);
        seen.push(...page.entries.map((row) => row.ref.slice(33)));
        last = page.last;
        pages += 1;
      } while (last !== null && pages < 20);
      expect(seen).toEqual([902, 901, 900, ...Array.from({ length: count }, (_, n) => count - 1 - n)].map(id));
    });

    test('used bytes: stored and not expired, of every session and page', async () => {
      const sum = (count * (count - 1)) / 2 + 5;
      expect(await catalogue.usedBytes(owner, '2026-06-01T00:00:00.000Z')).toBe(sum);
    });
  });

  test('a table that cannot be reached is trouble, not an empty catalogue', async () => {
    const missing = new DynamoCatalogue(documents, 'no-such-table');
    for (const asked of [
      missing.find(ada, entry(1).ref),
      missing.session(ada, aSession),
      missing.page(ada, null, 1),
      missing.add(entry(1)),
    ]) {
      await expect(asked).rejects.toMatchObject({ code: 'StorageUnavailable' });
    }
  });
});
