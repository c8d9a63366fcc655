import fc from 'fast-check';
import { readSelection } from '../../../core/read/read-result.ts';
import { parseSelection } from '../../../core/read/selection.ts';
import { VerifiedBody } from '../../../core/read/verified-body.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { indexOf } from '../../fakes/stored-result.ts';

interface Mark {
  readonly part: number;
  readonly of: number;
  readonly text: string;
}

function reader(text: string, maxBytes: number, maxRecords: number) {
  const body = Buffer.from(text);
  const index = indexOf(body);
  const source = {
    index,
    version: null,
    body: new VerifiedBody(
      index,
      { range: async (start, end) => body.subarray(start, end), whole: async () => undefined },
      () => new Error('gone') as never,
    ),
  };
  const settings = { ...defaultSettings, read: { maxBytes, maxRecords } };
  return async (input: Record<string, unknown>) => {
    const answer = await readSelection(source, parseSelection(input), settings, { idField: 'id', left: null });
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(maxBytes);
    return JSON.parse(answer.text) as { data: unknown[]; coverage: typeof answer.coverage };
  };
}

/** Every record through pages and, where one is too wide, through its parts. */
async function all(read: ReturnType<typeof reader>, fields?: readonly string[]): Promise<unknown[]> {
  const found: unknown[] = [];
  const picked = fields === undefined ? {} : { fields };
  for (let offset: number | null = 0; offset !== null; ) {
    const { data, coverage }: Awaited<ReturnType<typeof read>> = await read({ ...picked, offset });
    expect(coverage.offset + coverage.loaded + (coverage.left ?? 0)).toBe(coverage.total);
    if (coverage.next_part === undefined) found.push(...data);
    else {
      let joined = (data[0] as Mark).text;
      for (let part: number | undefined = coverage.next_part; part !== undefined; ) {
        const more = await read({ ...picked, offset, part });
        joined += (more.data[0] as Mark).text;
        part = more.coverage.next_part;
      }
      found.push(JSON.parse(joined));
    }
    offset = coverage.next_offset;
  }
  return found;
}

const value = fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' });
const row = fc.record(
  { id: fc.integer(), a: value, b: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  { requiredKeys: ['id'] },
);
const rows = fc.array(row, { minLength: 1, maxLength: 40 });
const bounds = [fc.integer({ min: 1200, max: 4000 }), fc.integer({ min: 1, max: 15 })] as const;

test('any JSON rows, any caps: pages and parts give every record once, in order, whole', async () => {
  await fc.assert(
    fc.asyncProperty(rows, ...bounds, fc.constantFrom(undefined, 1), async (list, maxBytes, maxRecords, indent) => {
      const wanted = JSON.parse(JSON.stringify(list));
      expect(await all(reader(JSON.stringify(list, null, indent), maxBytes, maxRecords))).toEqual(wanted);
    }),
    { numRuns: 60 },
  );
});

test('any NDJSON rows and picked fields', async () => {
  await fc.assert(
    fc.asyncProperty(rows, ...bounds, async (list, maxBytes, maxRecords) => {
      // One record alone is a document, and its own lists may then be the rows: two make it NDJSON.
      const lines = [...list, { id: 0 }].map((one) => JSON.stringify(one));
      const wanted = lines.map((line) => {
        const { id, b } = JSON.parse(line);
        return b === undefined ? { id } : { b, id };
      });
      const fields = lines.some((line) => 'b' in JSON.parse(line)) ? ['b', 'id'] : ['id'];
      expect(await all(reader(lines.join('\n'), maxBytes, maxRecords), fields)).toEqual(wanted);
    }),
    { numRuns: 60 },
  );
});
