import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../../../core/json.ts';
import { readResult } from '../../../core/read/read-result.ts';
import type { Grant, Run } from '../../../core/run/run.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { keepResult } from '../../../core/store/keep-result.ts';
import type { ResultIndex } from '../../../core/store/result-index.ts';
import { readResultTool } from '../../../core/tool/builtin-tools.ts';
import { type ToolDefinition, toolCatalogue } from '../../../core/tool/tool-definition.ts';
import { MemoryCatalogue } from '../../fakes/memory-catalogue.ts';
import { ada, aSession, entryOf, indexOf, StoredBodies } from '../../fakes/stored-result.ts';

const cases = join(import.meta.dirname, '../../fixtures/cases');
const run = {
  runId: '2'.repeat(32),
  owner: ada,
  session: aSession,
  roles: ['clerk'],
  admittedReferences: [],
} as unknown as Run;

/** A stored result and a run that may read it. */
function stored(text: string | Buffer, change: Partial<ResultIndex> = {}, settings = defaultSettings) {
  const body = Buffer.from(text);
  const index = indexOf(body, change);
  const store = new StoredBodies(body, index);
  const grants = new Map<string, Grant>();
  const tool = { name: 'listing', roles: ['*'], identity: { field: 'key' } } as unknown as ToolDefinition;
  const ports = {
    store,
    settings,
    catalogue: new MemoryCatalogue([entryOf(index)]),
    tools: toolCatalogue([change.tool === undefined ? { ...tool, identity: { field: 'id' } } : tool]),
    grants: {
      give: async (runId: string, grant: Grant) => void grants.set(runId + grant.ref, grant),
      find: async (runId: string, ref: string) => grants.get(runId + ref),
      all: async () => [...grants.values()],
    },
    clock: { now: () => new Date('2026-06-01T00:00:00Z') },
  };
  return {
    body,
    index,
    store,
    raw: (input: Record<string, unknown>, left: number | null = null) =>
      readResult(run, { ref: index.ref, ...input }, ports, left),
    async read(input: Record<string, unknown>, left: number | null = null) {
      const answer = await readResult(run, { ref: index.ref, ...input }, ports, left);
      // biome-ignore lint/suspicious/noExplicitAny: the answer's shape is what is tested
      return JSON.parse(answer.text) as any;
    },
  };
}

const rows = (count: number, width = 60) =>
  Array.from({ length: count }, (_, i) => ({ id: i, kind: `k${i % 7}`, note: 'n'.repeat(width) }));

describe('case H027: offset and limit edges on rows-40', () => {
  const source = stored(readFileSync(join(cases, 'rows-40.json')));
  const ids = (answer: { data: { id: number }[] }) => answer.data.map((row) => row.id);

  test.each([
    [{ offset: 0, limit: 10 }, 0, 10, 30, 10],
    [{ offset: 39, limit: 10 }, 39, 1, 0, null],
    [{ offset: 40, limit: 10 }, 40, 0, 0, null],
    [{ offset: 400, limit: 10 }, 400, 0, 0, null],
    [{ limit: 1_000_000 }, 0, 40, 0, null],
    [{}, 0, 40, 0, null],
    [{ offset: 30, limit: 5 }, 30, 5, 5, 35],
  ])('%j', async (args, from, loaded, left, next) => {
    const answer = await source.read(args);
    expect(ids(answer)).toEqual(Array.from({ length: loaded }, (_, i) => from + i));
    expect(answer.coverage).toMatchObject({ offset: from, loaded, total: 40, left, next_offset: next });
    if (from <= 40) expect(from + loaded + left).toBe(40);
    expect(answer.coverage.selection_complete).toBe(true);
    expect(answer.coverage.input_complete).toBe(loaded === 40);
  });

  test.each([
    { offset: -1, limit: 10 },
    { limit: 0 },
    { limit: -5 },
    { offset: '5', limit: '5' },
    { offset: 2.5, limit: 3 },
  ])('%j is an argument error that names argument and value', async (args) => {
    await expect(source.read(args)).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringMatching(
        /^(offset|limit): expected a whole number, at least [01], found (-1|0|-5|"5"|2.5)$/,
      ),
    });
  });

  test('what two reads delivered is those two ranges', async () => {
    const first = await source.raw({ offset: 0, limit: 10 });
    const second = await source.raw({ offset: 30, limit: 5 });
    expect([first.delivered.ranges, second.delivered.ranges]).toEqual([[[0, 10]], [[30, 35]]]);
  });
});

describe('case H031: no patterns are taken', () => {
  test('a pattern is not an argument of a read', async () => {
    await expect(stored('["a"]').read({ pattern: '(a+)+$' })).rejects.toMatchObject({ code: 'InvalidInput' });
    expect(JSON.stringify(readResultTool.inputSchema)).not.toContain('"regex"');
    expect(Object.keys(readResultTool.inputSchema['properties'] as object)).not.toContain('pattern');
  });
});

describe('case H005: an answer stays under its cap and is never stored again', () => {
  const text = execFileSync(process.execPath, [join(cases, 'expand.mjs'), 'rows', '2000', '200'], { maxBuffer: 1e8 });
  test('the largest limit: the envelope counts', async () => {
    const answer = await stored(text).raw({ limit: 2000 });
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(128 * 1024);
    expect(Buffer.byteLength(answer.text)).toBeGreaterThan(127 * 1024 - 300);
    expect(answer.coverage).toMatchObject({ reasons: ['byte_limit'], selection_complete: false });
    expect(answer.coverage.next_offset).toBe(answer.coverage.loaded);
    expect(JSON.parse(answer.text).data).toEqual(JSON.parse(text.toString()).slice(0, answer.coverage.loaded));
  });
  test.each([0, 1, 200, 400, 600, 800])('rows that come to the cap less %i bytes', async (slack) => {
    const width = 128 * 1024 - slack - 2 - '{"id":0,"pad":""}'.length;
    const source = stored(
      JSON.stringify([
        { id: 0, pad: 'x'.repeat(width) },
        { id: 1, pad: 'tail' },
      ]),
    );
    const answer = await source.raw({ limit: 1 });
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(128 * 1024);
    const { data, coverage } = JSON.parse(answer.text);
    if (data[0].part === undefined) expect(data[0].pad.length).toBe(width);
    else expect(coverage).toMatchObject({ byte_complete: false, next_part: 2 });
  });
  test('the hook passes it on: no new object, no reference', async () => {
    const answer = await stored(text).raw({ limit: 2000 });
    const untouched = new Proxy(
      {},
      {
        get: (_t, name) => () => {
          throw new Error(`${String(name)} was called`);
        },
      },
    );
    const content = [{ text: answer.text }];
    const kept = await keepResult(
      { run, tool: readResultTool, turn: 1, index: 0, result: { status: 'success', content } } as never,
      {
        settings: defaultSettings,
        store: untouched,
        catalogue: untouched,
        grants: untouched,
        telemetry: untouched,
      } as never,
    );
    expect(kept).toMatchObject({ status: 'success', stored: null, content });
  });
});

describe('own bytes', () => {
  test('numbers beyond 2^53, escapes and spacing stay as they came, with fields and without', async () => {
    const text = '[{"id":12345678901234567890,"n":1.50,"s":"\\u00e9\\/","big":-0.0e5},{"id":2,"n":1E400}]';
    const whole = await stored(text).raw({});
    expect(whole.text).toContain(`{"data":${text},"coverage"`);
    const picked = await stored(text).raw({ fields: ['n', 'id', 's'] });
    expect(picked.text).toContain(
      '{"data":[{"n":1.50,"id":12345678901234567890,"s":"\\u00e9\\/"},{"n":1E400,"id":2}],"coverage"',
    );
  });
  test('an id beyond 2^53 is found by its digits', async () => {
    const source = stored('[{"id":12345678901234567890},{"id":12345678901234567891}]');
    const answer = await source.raw({ ids: ['12345678901234567891'] });
    expect(answer.text).toContain('{"data":[{"id":12345678901234567891}],');
  });
  test('bytes that are not UTF-8 are said to be incomplete', async () => {
    const source = stored(Buffer.concat([Buffer.from('[{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}]')]));
    expect((await source.read({})).coverage).toMatchObject({ byte_complete: false, selection_complete: false });
  });
});

describe('fields', () => {
  const text = JSON.stringify([
    { id: 1, a: { b: { c: 1 }, 'b.c': 2 }, 'x.y': 3, x: { y: 4 }, tags: ['p', { q: 5 }], none: null },
    { id: 2, a: {}, x: { y: 6 }, tags: [] },
  ]);
  test('nested paths, list elements, a literal dotted key first; absent is not null', async () => {
    const { data } = await stored(text).read({ fields: ['a.b.c', 'x.y', 'tags.1.q', 'none', 'a'] });
    expect(data).toEqual([
      { 'a.b.c': 2, 'x.y': 3, 'tags.1.q': 5, none: null, a: { b: { c: 1 }, 'b.c': 2 } },
      { 'x.y': 6, a: {} },
    ]);
  });
  test('unknown fields: an error that lists the known ones, and no data', async () => {
    await expect(stored(text).read({ fields: ['id', 'nme', 'idx'] })).rejects.toMatchObject({
      code: 'UnknownField',
      message: expect.stringMatching(/no "nme", "idx" in this result; known: id, a/),
      facts: { unknown: ['nme', 'idx'] },
    });
    await expect(stored('a,b\n1,2\n').read({ fields: ['c'] })).rejects.toMatchObject({ facts: { known: ['a', 'b'] } });
    await expect(stored('just text\n').read({ fields: ['c'] })).rejects.toMatchObject({ code: 'UnknownField' });
  });
  test('a key that first appears late is known from the start', async () => {
    const late = [...rows(3000), { id: 3000, late: 'here' }];
    const source = stored(JSON.stringify(late));
    expect((await source.read({ fields: ['late'], limit: 1 })).data).toEqual([{}]);
    expect((await source.read({ fields: ['late'], offset: 3000 })).data).toEqual([{ late: 'here' }]);
  });
  test('keys of Object.prototype are keys like any other', async () => {
    const source = stored('[{"__proto__":1,"constructor":2,"id":3}]');
    expect((await source.raw({ fields: ['__proto__', 'constructor'] })).text).toContain(
      '[{"__proto__":1,"constructor":2}]',
    );
  });
});

describe('ids', () => {
  const text = JSON.stringify([...rows(5000), { id: 4998, kind: 'twice' }]);
  test('found at the tail; missing and duplicate ids are named', async () => {
    const { data, coverage } = await stored(text).read({ ids: [3, '4999', 4998, 70_000], fields: ['id', 'kind'] });
    expect(data).toEqual([
      { id: 3, kind: 'k3' },
      { id: 4998, kind: 'k0' },
      { id: 4999, kind: 'k1' },
      { id: 4998, kind: 'twice' },
    ]);
    expect(coverage).toMatchObject({
      requested: 4,
      loaded: 4,
      selection_complete: false,
      missing_ids: ['70000'],
      duplicate_ids: ['4998'],
      unexpected_ids: [],
    });
    expect(coverage.reasons).toContain('identity_mismatch');
  });
  test("the tool's own identity field, also in CSV", async () => {
    const csv = `key,v\n${Array.from({ length: 300 }, (_, i) => `K${i},${i}`).join('\n')}\n`;
    const { data, coverage } = await stored(csv, { tool: 'listing' }).read({ ids: ['K299', 'K7'] });
    expect(data).toEqual([
      { key: 'K7', v: '7' },
      { key: 'K299', v: '299' },
    ]);
    expect(coverage).toMatchObject({ selection_complete: true, missing_ids: [] });
  });
  test('more matches than fit go on by next_offset; what is missing is known from the first page', async () => {
    const wide = rows(60, 10_000);
    const source = stored(JSON.stringify(wide));
    const ids = [...wide.map((row) => row.id), 'nobody'];
    const seen: number[] = [];
    let offset = 0;
    for (;;) {
      const { data, coverage } = await source.read({ ids, offset });
      seen.push(...data.map((row: { id: number }) => row.id));
      expect(coverage.missing_ids).toEqual(['nobody']);
      if (coverage.next_offset === null) break;
      expect(coverage.reasons).toContain('byte_limit');
      offset = coverage.next_offset;
    }
    expect(seen).toEqual(wide.map((row) => row.id));
  });
});

describe('wide records', () => {
  const wide = { id: 7, text: `${'ä"\n'.repeat(60_000)}end`, small: { x: 1 } };
  const text = `[${JSON.stringify({ id: 6 })},${JSON.stringify(wide)},${JSON.stringify({ id: 8 })}]`;
  test('whole records before it, then its parts, then those after it', async () => {
    const source = stored(text);
    const first = await source.read({});
    expect(first.coverage).toMatchObject({
      loaded: 1,
      next_offset: 1,
      reasons: ['byte_limit'],
      selection_complete: false,
    });
    let joined = '';
    for (let part = 1, of = 1; part <= of; part += 1) {
      const { data, coverage } = await source.read(part === 1 ? { offset: 1 } : { offset: 1, part });
      expect(data).toEqual([{ part, of: data[0].of, text: expect.any(String) }]);
      of = data[0].of;
      joined += data[0].text;
      expect(coverage).toMatchObject({ byte_complete: false, selection_complete: false, next_offset: 2 });
      expect(coverage.next_part).toBe(part < of ? part + 1 : undefined);
    }
    expect(joined).toBe(JSON.stringify(wide));
    expect((await source.read({ offset: 2 })).data).toEqual([{ id: 8 }]);
    await expect(source.read({ offset: 1, part: 99 })).rejects.toMatchObject({ code: 'InvalidInput' });
  });
  test('by fields it is one small record', async () => {
    const { data, coverage } = await stored(text).read({ offset: 1, fields: ['id', 'small.x'] });
    expect(data).toEqual([{ id: 7, 'small.x': 1 }, { id: 8 }]);
    expect(coverage.byte_complete).toBe(true);
  });
  test('a record wider than what is held at once: parts and fields all the same', async () => {
    const huge = `[{"id":1},{"id":2,"pad":"${'y'.repeat(9 * 1024 * 1024)}","tail":"last"},{"id":3}]`;
    const source = stored(huge);
    expect((await source.read({ offset: 1, fields: ['tail', 'id'] })).data[0]).toEqual({ tail: 'last', id: 2 });
    const { data } = await source.read({ offset: 1 });
    const last = await source.read({ offset: 1, part: data[0].of });
    expect(data[0].text.startsWith('{"id":2,"pad":"yyy')).toBe(true);
    expect(last.data[0].text.endsWith('","tail":"last"}')).toBe(true);
    expect((await source.read({ offset: 2 })).data).toEqual([{ id: 3 }]);
  });
});

describe('lines and bytes', () => {
  const lines = Array.from({ length: 500 }, (_, i) => `line ${i + 1} ü`);
  const source = stored(lines.join('\n'));
  test('lines A-B, both ends included', async () => {
    const { data, coverage } = await source.read({ lines: '499-700' });
    expect(data).toBe('line 499 ü\nline 500 ü');
    expect(coverage).toMatchObject({
      unit: 'lines',
      offset: 498,
      loaded: 2,
      requested: 2,
      total: 500,
      next_offset: null,
    });
  });
  test('bytes put together are the copy, whatever the cut', async () => {
    const small = { ...defaultSettings, read: { ...defaultSettings.read, maxBytes: 1500 } };
    const text = `${'ü€𝄞"\u0001\\'.repeat(300)}`;
    const narrow = stored(text, {}, small);
    let joined = '';
    for (let start = 0; ; ) {
      const { data, coverage } = await narrow.read({ bytes: `${start}-999999` });
      joined += data;
      expect(coverage.unit).toBe('bytes');
      if (coverage.next_offset === null) break;
      expect(coverage.next_offset).toBeGreaterThan(start);
      expect(coverage.reasons).toContain('byte_limit');
      start = coverage.next_offset;
    }
    expect(joined).toBe(text);
  });
  test('past the end, and not lines', async () => {
    expect((await source.read({ bytes: '99999-100000' })).data).toBe('');
    expect((await source.read({ lines: '501-502' })).data).toBe('');
    await expect(stored('[1,2]').read({ lines: '1-2' })).rejects.toMatchObject({ code: 'InvalidInput' });
    await expect(source.read({ lines: '0-2' })).rejects.toMatchObject({ code: 'InvalidInput' });
    await expect(source.read({ lines: '1-2', offset: 5 })).rejects.toMatchObject({ code: 'InvalidInput' });
  });
});

describe('which bound was met', () => {
  const source = stored(JSON.stringify(rows(1500)));
  test('entries', async () => {
    const { coverage } = await source.read({ limit: 1200, fields: ['id'] });
    expect(coverage).toMatchObject({ loaded: 1000, requested: 1200, next_offset: 1000, selection_complete: false });
    expect(coverage.reasons).toEqual(['selection', 'entry_limit']);
  });
  test('what the request has left', async () => {
    const answer = await source.raw({ limit: 900 }, 5000);
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(5000);
    expect(answer.coverage.reasons).toEqual(['request_limit']);
    expect(answer.coverage.loaded).toBeGreaterThan(10);
  });
  test('room for no record at all: none, said so, and the same place again', async () => {
    const { data, coverage } = await source.read({ offset: 1400 }, 100);
    expect(data).toEqual([]);
    expect(coverage).toMatchObject({ loaded: 0, next_offset: 1400, selection_complete: false });
    expect(coverage.reasons).toContain('request_limit');
  });
});

describe('the stored copy', () => {
  test('one changed byte near record 900,000 of a million is an error, never data: by page, by id, by bytes', async () => {
    const body = Buffer.from(`[${Array.from({ length: 1_000_000 }, (_, id) => `{"id":${id}}`).join(',')}]`);
    const source = stored(body);
    const at = body.indexOf('"id":900002') + 7;
    source.body[at] = (source.body[at] as number) ^ 1;
    // The records are still JSON: nothing but the digest tells that one of them is another.
    for (const input of [{ offset: 900_000, limit: 5 }, { ids: [3] }, { bytes: `${at}-${at + 9}` }]) {
      await expect(source.read(input)).rejects.toMatchObject({
        code: 'StorageUnavailable',
        facts: { damaged: true },
      });
    }
    expect((await source.read({ offset: 0, limit: 5 })).data.length).toBe(5);
    expect((await source.read({ offset: 999_999, limit: 5 })).data).toEqual([{ id: 999_999 }]);
  });
  test('a whole read checks the digest of the whole', async () => {
    const source = stored('[{"id":1}]', { sha256: 'f'.repeat(64) });
    await expect(source.read({})).rejects.toMatchObject({ code: 'StorageUnavailable' });
  });
  test('another version under the same key (ETag), or no body: Expired', async () => {
    const source = stored('[{"id":1}]');
    (source.store.bodies.get(source.index.ref) as { body: unknown }).body = null;
    await expect(source.read({})).rejects.toMatchObject({ code: 'Expired' });
  });
  test('cost follows the selection: two requests and under 1 MB for 50 records near the end', async () => {
    const source = stored(Buffer.from(JSON.stringify(rows(120_000, 120))));
    const { data } = await source.read({ offset: 110_000, limit: 50 });
    expect(data.map((row: { id: JsonValue }) => row.id)).toEqual(Array.from({ length: 50 }, (_, i) => 110_000 + i));
    expect(source.store.requests).toBe(2);
    expect(source.store.fetched).toBeLessThan(1024 * 1024);
  });
});

test('an open population: hits held, no total, completeness not claimed', async () => {
  const { coverage } = await stored(JSON.stringify(rows(20)), { population: 'open' }).read({});
  expect(coverage).toMatchObject({ loaded: 20, total: null, input_complete: null });
});

test('losses of the copy are said with every read', async () => {
  const { coverage } = await stored('{"id":1}\noops\n{"id":3}\n').read({ offset: 1 });
  expect(coverage).toMatchObject({ loaded: 1, total: 2, filtered_count: 1 });
  expect(coverage.reasons).toEqual(['selection', 'parse_loss']);
});
