import type { Profile } from '../../../core/profile/profile.ts';
import { scanBytes } from '../../../core/scan/result-scanner.ts';
import { blockBytes } from '../../../core/store/content-size.ts';
import { dataReference, within } from '../../../core/store/data-reference.ts';
import type { ResultIndex } from '../../../core/store/result-index.ts';

const wide = JSON.stringify(
  Array.from({ length: 50 }, (_, row) =>
    Object.fromEntries(Array.from({ length: 120 }, (_, column) => [`column_with_a_long_name_${column}`, row * column])),
  ),
);
const summary = scanBytes(Buffer.from(wide), { previewBytes: 1_000, profile: true });
const index = {
  ...summary,
  format: 1,
  ref: `${'a'.repeat(32)}/${'b'.repeat(32)}`,
  tool: 'rows',
  toolVersion: '1',
  runId: 'c'.repeat(32),
  turn: 1,
  index: 0,
  etag: '"e"',
  population: 'finite',
  acquiredAt: '2026-11-30T12:00:00.000Z',
  availableUntil: '2026-12-30T12:00:00.000Z',
  gates: ['rows'],
  derivedFrom: [],
  leftOut: [],
} as unknown as ResultIndex;
const make = (maxBytes: number) =>
  dataReference(index, { baseUrl: 'https://check.example', coverage: summary.coverage, maxBytes, profileBytes: 4_096 });
const inner = (maxBytes: number) => (make(maxBytes).json as { data_reference: Record<string, unknown> }).data_reference;

it('the profile takes at most 4 KiB, and the columns left out are counted', () => {
  const profile = inner(100_000)['profile'] as Profile;
  expect(Buffer.byteLength(JSON.stringify(profile))).toBeLessThanOrEqual(4_096);
  expect(profile.columns.length + profile.columns_left_out).toBe(120);
  expect(profile.columns.length).toBeGreaterThan(5);
});

it('fits its place at every size, and never grows when the place shrinks', () => {
  const smallest = blockBytes(make(0));
  let last = 0;
  for (let maxBytes = smallest; maxBytes < 12_000; maxBytes += 97) {
    const bytes = blockBytes(make(maxBytes));
    expect(bytes).toBeLessThanOrEqual(maxBytes);
    expect(bytes).toBeGreaterThanOrEqual(last - 200);
    last = bytes;
  }
});

it('the smallest one still has address, totals, date and how many fields are not named', () => {
  expect(inner(0)).toMatchObject({
    ref: index.ref,
    records: 50,
    bytes: wide.length,
    sha256: summary.sha256,
    available_until: index.availableUntil,
    download_url: `https://check.example/results/${index.ref}`,
    fields: [],
    fields_left_out: summary.fields.length,
  });
  expect(inner(0)).not.toHaveProperty('profile');
});

it('long ids do not take the place of the result: a few are named, and all are counted', () => {
  const ids = Array.from({ length: 50 }, (_, n) => `${n}-${'漢'.repeat(117)}`);
  const coverage = { ...summary.coverage, missing_ids: ids, duplicate_ids: [], unexpected_ids: ids };
  const place = { baseUrl: 'https://check.example', coverage, profileBytes: 4_096 };
  expect(blockBytes(dataReference(index, { ...place, maxBytes: 100_000 }))).toBeGreaterThan(30_000);
  const block = dataReference(index, { ...place, maxBytes: 8_000 });
  expect(blockBytes(block)).toBeLessThanOrEqual(8_000);
  expect((block.json as { data_reference: { coverage: unknown } }).data_reference.coverage).toMatchObject({
    missing_ids: ids.slice(0, 3),
    duplicate_ids: [],
    id_counts: { missing: 50, duplicate: 0, unexpected: 50 },
  });
});

it('an open population is told as hits that are held', () => {
  const block = dataReference(
    { ...index, population: 'open' },
    { baseUrl: 'https://check.example', coverage: summary.coverage, maxBytes: 9_000, profileBytes: 4_096 },
  );
  expect(JSON.stringify(block)).toContain('the search was executed, 50 hits are held');
});

it('within keeps the order of columns', () => {
  const profile = index.profile as Profile;
  const cut = within(profile, 2_000);
  expect(cut.columns).toEqual(profile.columns.slice(0, cut.columns.length));
});

it('a key of a megabyte on the way to the rows names a place, and takes none', () => {
  const body = JSON.stringify({ ['k'.repeat(1_000_000)]: Array.from({ length: 40 }, (_, id) => ({ id })) });
  const { path, records } = scanBytes(Buffer.from(body), { previewBytes: 1_000 });
  expect(records).toBe(40);
  expect(path).toMatch(/^k{256}…$/);
});
