import { firstRecords, viewLimits } from '../../../core/view/first-records.ts';
import { storedCopyNotes } from '../../../core/view/stored-copy-notes.ts';
import { indexOf } from '../../fakes/stored-result.ts';

/** The view of a body, read through the commit record that the real scanner makes. */
async function viewOf(text: string, damage?: (body: Buffer) => void) {
  const body = Buffer.from(text, 'utf8');
  const index = indexOf(body);
  damage?.(body);
  const ranges: number[] = [];
  const view = await firstRecords(index, async (start, end) => {
    ranges.push(end - start);
    return body.subarray(start, end);
  });
  return { ...view, index, ranges };
}

test('records of a list deep in a document, with their own digits', async () => {
  const rows = Array.from({ length: 80 }, (_, n) => `{"id": ${n === 0 ? '12345678901234567890' : n}, "name": "n${n}"}`);
  const { table } = await viewOf(`{"report": {"at": "now", "rows": [${rows.join(', ')}]}, "rest": [1]}`);
  expect(table).toMatchObject({ columns: ['id', 'name'], shown: viewLimits.rows, total: 80, columns_left_out: 0 });
  expect(table?.rows[0]).toEqual(['12345678901234567890', '"n0"']);
  expect(table?.rows[49]).toEqual(['49', '"n49"']);
});

test('missing, null and empty stay apart; a key that first appears late has its column', async () => {
  const { table } = await viewOf('[{"a":null},{"a":""},{},{"late":[1,{"x":2}]}]');
  expect(table?.columns).toEqual(['a', 'late']);
  expect(table?.rows).toEqual([
    ['null', null],
    ['""', null],
    [null, null],
    [null, '[1,{"x":2}]'],
  ]);
});

test('lines of NDJSON, rows of CSV with quotes, bare values, one single document', async () => {
  expect((await viewOf('{"a":1}\n{"a":2}\n')).table?.rows).toEqual([['1'], ['2']]);
  const csv = await viewOf('id,note\n1,"a, ""b""\nc"\n2,\n');
  expect(csv.table).toMatchObject({ columns: ['id', 'note'], total: 2 });
  expect(csv.table?.rows).toEqual([
    ['"1"', JSON.stringify('a, "b"\nc')],
    ['"2"', '""'],
  ]);
  expect((await viewOf('[1, "two", 3]')).table?.rows).toEqual([['1'], ['"two"'], ['3']]);
  expect((await viewOf('{"only": {"one": true}}')).table).toMatchObject({
    columns: ['only'],
    rows: [['{"one": true}']],
  });
});

test('a long value is shown by its beginning and says how long it is', async () => {
  const { table } = await viewOf(JSON.stringify([{ a: 'x'.repeat(5_000) }, { a: '🙂'.repeat(5_000) }]));
  expect(JSON.parse(table?.rows[0]?.[0] ?? '')).toMatch(/^x{299}… \(5000 characters\)$/);
  expect(table?.rows[1]?.[0]).not.toMatch(/\p{Cs}/u);
});

test('many columns are counted, not silently dropped', async () => {
  const wide = Object.fromEntries(Array.from({ length: 75 }, (_, n) => [`c${n}`, n]));
  const { table } = await viewOf(JSON.stringify([wide]));
  expect(table?.columns).toHaveLength(60);
  expect(table?.columns_left_out).toBe(15);
});

test('of a large result only the beginning is read', async () => {
  const text = JSON.stringify(Array.from({ length: 60_000 }, (_, n) => ({ id: n, text: 'y'.repeat(40) })));
  const { table, ranges } = await viewOf(text);
  expect(table).toMatchObject({ shown: 50, total: 60_000 });
  expect(ranges.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(1.2 * viewLimits.bytes);
});

test('text gives whole first lines', async () => {
  const { table, text } = await viewOf(Array.from({ length: 3_000 }, (_, n) => `line ${n} of words`).join('\n'));
  expect(table).toBeNull();
  expect(text?.startsWith('line 0 of words\n')).toBe(true);
  expect(text?.endsWith(' of words\n')).toBe(true);
});

test('a copy with a changed byte shows nothing', async () => {
  await expect(viewOf('[{"a":1},{"a":2}]', (body) => body.fill(0x39, 6, 7))).rejects.toMatchObject({
    code: 'StorageUnavailable',
  });
});

test('an empty list is a table without rows', async () => {
  expect((await viewOf('[]')).table).toMatchObject({ rows: [], total: 0 });
});

test('what is wrong with a copy is said in sentences', () => {
  const body = Buffer.from('[{"a":1}]');
  expect(storedCopyNotes(indexOf(body))).toEqual([]);
  const notes = storedCopyNotes(
    indexOf(body, {
      upstream: { partial: true, total: 1_200, evidence: 'has_more' },
      population: 'open',
      leftOut: ['1 image'],
      otherLists: [{ path: 'meta', count: 3 }],
    }),
  );
  expect(notes).toHaveLength(4);
  expect(notes[0]).toContain('1,200');
});
