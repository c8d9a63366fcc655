import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { scanStream } from '../../../core/scan/result-scanner.ts';
import { builtinTools, deployedTools, tools } from '../../../tools/catalogue.ts';
import { exampleData } from '../../../tools/example-data.ts';
import { flightRows, flightsText } from '../../../tools/flights/rows.ts';
import { notes } from '../../../tools/search-notes/notes.ts';
import { services, statusReport } from '../../../tools/service-status/report.ts';

const scan = (records: number, seed: number) => scanStream(statusReport({ records, seed }), { previewBytes: 10_000 });

describe('service_status', () => {
  it('by default: 60,000 services in about 14.7 MB, always the same bytes', async () => {
    const summary = await scan(60_000, 1);
    expect(summary).toMatchObject({ kind: 'json', path: 'report.services', records: 60_000, bytes: 14_826_925 });
    expect(summary.sha256).toBe((await scan(60_000, 1)).sha256);
  });

  it('records and seed change count and digest', async () => {
    const [first, other, again] = [await scan(12_345, 7), await scan(12_345, 8), await scan(12_345, 7)];
    expect(first.records).toBe(12_345);
    expect(other.sha256).not.toBe(first.sha256);
    expect(again.sha256).toBe(first.sha256);
  });

  it('pieces are small, whatever the size of the whole', () => {
    let largest = 0;
    for (const piece of statusReport({ records: 20_000, seed: 1 })) largest = Math.max(largest, piece.length);
    expect(largest).toBeLessThan(70_000);
  });

  it('who reads only the beginning gets the worst region wrong; the last service is one of its failing ones', () => {
    for (const seed of [1, 2, 7, 99]) {
      const all = [...services({ records: 60_000, seed })];
      const worst = (list: typeof all) => {
        const counts = new Map<string, number>();
        for (const { region, status } of list) {
          if (status === 'failing') counts.set(region, (counts.get(region) ?? 0) + 1);
        }
        return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
      };
      expect(worst(all.slice(0, 6_000))).toBe('us-east-1');
      expect(worst(all)).not.toBe('us-east-1');
      expect(all.at(-1)).toMatchObject({ status: 'failing', region: worst(all) });
    }
  });
});

it('flights: 80,000 real rows, less than a function may answer; the seed sets the first', () => {
  const file = readFileSync('node_modules/vega-datasets/data/flights-200k.json', 'utf8');
  const text = flightsText(file, 1);
  expect(Buffer.byteLength(JSON.stringify({ status: 'success', content: [{ text }] }))).toBeLessThan(6_000_000);
  expect(JSON.parse(text)).toHaveLength(flightRows);
  expect(file.startsWith(text.slice(0, 10_000))).toBe(true);
  const wrapped = JSON.parse(flightsText(file, 20)) as unknown[];
  expect(wrapped).toHaveLength(flightRows);
  expect(wrapped[0]).not.toEqual((JSON.parse(text) as unknown[])[0]);
});

it('search_notes: about 150 KB, under what a state may carry; words narrow it', () => {
  const all = notes(1, undefined);
  expect(Buffer.byteLength(all)).toBeGreaterThan(140_000);
  expect(Buffer.byteLength(all)).toBeLessThan(180_000);
  expect(all.trimEnd().split('\n')).toHaveLength(1_601);
  expect(notes(1, 'renew').trimEnd().split('\n')).toHaveLength(1);
  expect(createHash('sha256').update(notes(2, undefined)).digest('hex')).not.toBe(
    createHash('sha256').update(all).digest('hex'),
  );
});

it('bad settings of the examples are refused', () => {
  expect(exampleData({})).toEqual({ records: 60_000, seed: 1 });
  expect(exampleData({ CLAIMCHECK_EXAMPLE_RECORDS: '12345', CLAIMCHECK_EXAMPLE_SEED: '7' })).toEqual({
    records: 12_345,
    seed: 7,
  });
  for (const records of ['0', '-1', '1.5', 'many']) {
    expect(() => exampleData({ CLAIMCHECK_EXAMPLE_RECORDS: records })).toThrow();
  }
});

it('every tool is in the catalogue with all its rules', () => {
  for (const { definition } of [...deployedTools, ...builtinTools]) {
    expect(tools.find(definition.name)).toBe(definition);
    expect(definition.name).toMatch(/^[a-z][a-z0-9_]{0,47}$/);
    expect(definition.roles.length).toBeGreaterThan(0);
  }
  expect(tools.find('constructor')).toBeUndefined();
});
