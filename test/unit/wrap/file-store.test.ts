import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogueEntry } from '../../../core/catalogue/catalogue.ts';
import { ownerKey } from '../../../core/reference/owner-key.ts';
import { createOnly } from '../../../files/create-only.ts';
import { FileCatalogue } from '../../../files/file-catalogue.ts';
import { FileResultStore } from '../../../files/file-result-store.ts';
import { writePieces } from '../../../files/write-pieces.ts';
import { newFolder } from './workspace.ts';

const owner = ownerKey('Ada/../..');
const address = { owner, session: 'a'.repeat(32), id: 'b'.repeat(32) };
const metadata = {
  tools: ['rows'],
  runId: 'c'.repeat(32),
  turn: 0,
  index: 0,
  availableUntil: '2030-01-01T00:00:00.000Z',
  format: 1,
  contentType: 'text/plain',
};
const limits = { maxBytes: 1_000_000 };

it('create-only: the same call again is a success, another body under the id is refused and the first one stays', async () => {
  const store = new FileResultStore(newFolder());
  const first = await store.putBody(address, Buffer.from('one'), metadata, limits);
  expect(await store.putBody(address, Buffer.from('one'), metadata, limits)).toEqual(first);
  await expect(store.putBody(address, Buffer.from('other'), metadata, limits)).rejects.toMatchObject({
    code: 'StorageUnavailable',
  });
  expect(Buffer.from((await store.readRange(address, first.etag, 0, 3)) as Uint8Array).toString()).toBe('one');
  expect(await store.readRange(address, '"another"', 0, 3)).toBeUndefined();
});

it('nothing leaves the folder, nothing half-written stays, and a missing result is undefined', async () => {
  const folder = newFolder();
  const store = new FileResultStore(folder);
  async function* broken() {
    yield Buffer.alloc(300_000);
    throw new Error('the source failed');
  }
  await expect(store.putBody(address, broken(), metadata, limits)).rejects.toThrow('the source failed');
  await expect(store.putBody(address, Buffer.alloc(1_000_001), metadata, limits)).rejects.toMatchObject({
    code: 'OversizeResult',
  });
  expect(readdirSync(folder)).toEqual(['results']);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files).toEqual([]);
  expect(await store.headBody(address)).toBeUndefined();
  expect(await store.readIndex(address)).toBeUndefined();
});

it('a body that was shortened behind our back is trouble or absence, never a shorter result', async () => {
  const folder = newFolder();
  const store = new FileResultStore(folder);
  const { etag } = await store.putBody(address, Buffer.from('0123456789'), metadata, limits);
  writeFileSync(join(folder, 'results', owner, address.session, address.id, 'body'), '01234');
  expect(await store.readBody(address, etag)).toBeUndefined();
  rmSync(join(folder, 'results'), { recursive: true });
  expect(await store.headBody(address)).toBeUndefined();
});

it('rows are one owner’s, paged newest first; a version’s number is held by one result', async () => {
  const catalogue = new FileCatalogue(newFolder());
  const row = (id: number, more: Partial<CatalogueEntry> = {}) =>
    ({
      owner,
      ref: `${address.session}/${String(id).padStart(32, '0')}`,
      status: 'stored',
      bytes: 10,
      acquiredAt: `2026-01-01T00:00:0${id}.000Z`,
      availableUntil: '2030-01-01T00:00:00.000Z',
      ...more,
    }) as CatalogueEntry;
  for (const id of [3, 1, 2]) await catalogue.add(row(id));
  await catalogue.add(row(1, { bytes: 99 }));
  const first = await catalogue.page(owner, null, 2);
  expect(first.entries.map(({ ref }) => Number(ref.slice(-1)))).toEqual([3, 2]);
  const rest = await catalogue.page(owner, first.last, 2);
  expect([rest.entries.map(({ ref }) => Number(ref.slice(-1))), rest.last]).toEqual([[1], null]);
  expect(await catalogue.usedBytes(owner, '2026-06-01T00:00:00.000Z')).toBe(30);
  expect(await catalogue.usedBytes(ownerKey('Bob'), '2026-06-01T00:00:00.000Z')).toBe(0);
  expect(await catalogue.find(ownerKey('Bob'), row(1).ref)).toBeUndefined();
  const claim = {
    owner,
    session: address.session,
    tool: 'rows',
    argumentDigest: 'd'.repeat(64),
    version: 1,
    availableUntil: '',
  };
  expect(await catalogue.claimVersion({ ...claim, ref: row(1).ref })).toBe(row(1).ref);
  expect(await catalogue.claimVersion({ ...claim, ref: row(2).ref })).toBe(row(1).ref);
});

const entries = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort();

it('where something that is no file stands in the way, the body is refused and no draft is left', async () => {
  const folder = newFolder();
  const place = join(folder, 'results', owner, address.session, address.id);
  for (const name of ['body.json', 'body']) {
    mkdirSync(join(place, name), { recursive: true });
    const store = new FileResultStore(folder);
    await expect(store.putBody(address, Buffer.from('one'), metadata, limits)).rejects.toMatchObject({
      code: 'StorageUnavailable',
    });
    expect(readdirSync(place).filter((each) => each.endsWith('.draft'))).toEqual([]);
    expect(readdirSync(join(place, name))).toEqual([]);
    rmSync(place, { recursive: true });
  }
});

it('what runs beside the last write is told the bytes, ends before the write has, and its failure is the write’s', async () => {
  const folder = newFolder();
  async function* body() {
    for (let n = 0; n < 9; n += 1) yield Buffer.alloc(100_000, n);
  }
  const options = { ...limits, durable: false };
  let ended = false;
  const bytes = await writePieces(join(folder, 'one'), body(), options, async (told) => {
    expect(told).toBe(900_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    ended = true;
  });
  expect([bytes, ended]).toEqual([900_000, true]);
  const whole = readFileSync(join(folder, 'one'));
  expect(
    Array.from({ length: 9 }, (_, n) => whole.subarray(n * 100_000, (n + 1) * 100_000).every((b) => b === n)),
  ).toEqual(Array(9).fill(true));
  await expect(
    writePieces(join(folder, 'two'), body(), options, () => Promise.reject(new Error('no room beside'))),
  ).rejects.toThrow('no room beside');
});

it('folders that others sweep away while something is written in them are made again', async () => {
  const folder = newFolder();
  const swept = new Map<string, number>();
  const sweeping = setInterval(() => {
    for (const name of entries(folder).reverse()) {
      const times = swept.get(name) ?? 0;
      if (times === 2) continue;
      try {
        rmdirSync(join(folder, name));
        swept.set(name, times + 1);
      } catch {}
    }
  }, 0);
  try {
    for (let n = 0; n < 50; n += 1) {
      const path = join(folder, `session-${n}`, 'rows', 'a row');
      expect(await createOnly(path, `row ${n}`)).toBe(true);
      expect(await createOnly(path, 'another')).toBe(false);
      expect(readFileSync(path, 'utf8')).toBe(`row ${n}`);
    }
  } finally {
    clearInterval(sweeping);
  }
  expect(entries(folder).filter((name) => name.endsWith('.draft'))).toEqual([]);
  expect(Math.max(...swept.values())).toBe(2);
});
