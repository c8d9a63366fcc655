import { readSelection } from '../../../core/read/read-result.ts';
import { parseSelection } from '../../../core/read/selection.ts';
import { VerifiedBody } from '../../../core/read/verified-body.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { indexOf } from '../../fakes/stored-result.ts';

const count = 100_000;
const row = (i: number) => ({ id: i, name: `row ${i} ü`, tags: i % 3 ? [] : ['x'] });

/** Reads a whole result page by page, as a model would, and checks the coverage of each page. */
async function walk(body: Buffer, input: Record<string, unknown> = {}) {
  const index = indexOf(body);
  const source = {
    index,
    version: null,
    body: new VerifiedBody(
      index,
      {
        range: async (start, end) => body.subarray(start, end),
        whole: async () =>
          (async function* () {
            yield body;
          })(),
      },
      () => new Error('gone') as never,
    ),
  };
  const data: unknown[] = [];
  let offset = 0;
  let loaded = 0;
  for (let page = 0; ; page += 1) {
    const answer = await readSelection(source, parseSelection({ ...input, offset }), defaultSettings, {
      idField: 'id',
      left: null,
    });
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(defaultSettings.read.maxBytes);
    const parsed = JSON.parse(answer.text);
    data.push(parsed.data);
    const { coverage } = parsed;
    loaded += coverage.loaded;
    expect(coverage.offset).toBe(offset);
    expect(coverage.total).toBe(index.records);
    expect(loaded).toBe(coverage.next_offset ?? coverage.total);
    expect(coverage.selection_complete).toBe(coverage.next_offset === null);
    expect(coverage.input_complete).toBe(page === 0 && coverage.next_offset === null);
    if (coverage.next_offset === null) break;
    expect(coverage.next_offset).toBeGreaterThan(offset);
    expect(coverage.reasons.some((reason: string) => /^(byte|entry)_limit$/.test(reason))).toBe(true);
    offset = coverage.next_offset;
  }
  return { data, index };
}

const rows = Array.from({ length: count }, (_, i) => row(i));

describe('100,000 records, page by page: every id once, in order, the coverage adds up', () => {
  test.each([
    ['JSON array, one line', () => JSON.stringify(rows)],
    ['JSON array, indented', () => JSON.stringify(rows, null, 1)],
    ['JSON object around the list', () => JSON.stringify({ total: count, data: { rows }, next: null })],
    ['NDJSON', () => `${rows.map((r) => JSON.stringify(r)).join('\n')}\n`],
  ])('%s', async (_name, text) => {
    const { data } = await walk(Buffer.from(text()));
    const read = data.flat();
    expect(read.length).toBe(count);
    expect(read.every((r, i) => JSON.stringify(r) === JSON.stringify(rows[i]))).toBe(true);
  });

  test('picked fields', async () => {
    const { data } = await walk(Buffer.from(JSON.stringify(rows)), { fields: ['id', 'tags'] });
    expect(data.flat()).toEqual(rows.map(({ id, tags }) => ({ id, tags })));
  });

  test('CSV, with quotes and line ends inside cells', async () => {
    const text = `id,name,note\r\n${rows.map((r) => `${r.id},"${r.name}, ""x""\r\ny",`).join('\r\n')}\r\n`;
    const { data } = await walk(Buffer.from(text));
    expect(data.flat()).toEqual(rows.map((r) => ({ id: String(r.id), name: `${r.name}, "x"\r\ny`, note: '' })));
  });

  test('text: the pages put together are the copy', async () => {
    const text = rows.map((r) => (r.id % 7 === 0 ? '' : `line ${r.id} "ü"`)).join('\r\n');
    const { data } = await walk(Buffer.from(text));
    expect(data.join('')).toBe(text);
  });

  test('text with a 2 MB line: it comes as a marked part, the lines around it whole', async () => {
    const wide = `start ${'ü"'.repeat(700_000)} end`;
    const text = `${rows
      .slice(0, 3000)
      .map((r) => `line ${r.id}`)
      .join('\n')}\n${wide}\nlast`;
    const { data, index } = await walk(Buffer.from(text));
    expect(index.records).toBe(3002);
    const marked = data.find((page) => Array.isArray(page)) as { part: number; of: number; text: string }[];
    expect(marked).toEqual([{ part: 1, of: expect.any(Number), text: expect.stringMatching(/^start /) }]);
    expect(data.at(-1)).toBe('last');
  });
});
