import fc from 'fast-check';
import { applyView, keptFields, viewOf } from '../../../core/tool/view.ts';

const secret = 'S3CR3T-7f1d';
const view = (text: string, kept: readonly string[]) => Buffer.from(viewOf(Buffer.from(text), kept)).toString();

async function inPieces(text: string, kept: readonly string[], size: number): Promise<string> {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
  const out: Uint8Array[] = [];
  for await (const piece of applyView(pieces, kept)) out.push(Buffer.from(piece));
  return Buffer.concat(out).toString();
}

describe('keptFields', () => {
  const tool = { view: { clerk: ['id', 'name'], payroll: ['salary'], head: ['*'], '*': ['id'] } };
  test('the union of the roles held and of everybody', () => {
    expect(keptFields(tool, ['clerk', 'payroll'])).toEqual(['id', 'name', 'salary']);
    expect(keptFields(tool, ['stranger'])).toEqual(['id']);
    expect(keptFields(tool, ['head'])).toBeNull();
  });
  test('roles that no entry names keep nothing; no view keeps all', () => {
    expect(keptFields({ view: { clerk: ['id'] } }, ['constructor', 'toString'])).toEqual([]);
    expect(keptFields({}, [])).toBeNull();
  });
});

describe('applyView: JSON', () => {
  test('keeps the own bytes of kept values and nothing else', () => {
    const text = `{"total": 2, "note": "${secret}", "data": {"rows": [{"id": 12345678901234567890, "ssn": "${secret}", "a": {"city": "K\\u00f6ln", "zip": "${secret}"}}, {"id": 1.50}]}}`;
    expect(view(text, ['id', 'a.city', 'total'])).toBe(
      '{"total":2,"data":{"rows":[{"id":12345678901234567890,"a":{"city":"K\\u00f6ln"}},{"id":1.50}]}}',
    );
  });
  test('withheld rows keep their place; lists of which nothing is kept are not named', () => {
    expect(view(`[{"x":"${secret}"},{"id":2},"${secret}",[1]]`, ['id'])).toBe('[{},{"id":2},{},{}]');
    expect(view(`{"hidden":[{"x":1}],"rows":[{"x":1},{"id":2}],"none":[]}`, ['id'])).toBe(
      '{"rows":[{},{"id":2}],"none":[]}',
    );
    expect(view(`{"id":1,"salary":9,"deep":{"salary":9}}`, ['id'])).toBe('{"id":1}');
    expect(() => view(`"${secret}"`, ['id'])).toThrow(expect.objectContaining({ code: 'ToolFailed' }));
  });
  test('a list inside a row needs its path', () => {
    expect(view(`[{"id":1,"lines":[{"id":5,"cost":9}]}]`, ['id'])).toBe('[{"id":1}]');
    expect(view(`[{"id":1,"lines":[{"sku":5,"cost":9},{"sku":6}]}]`, ['id', 'lines.sku'])).toBe(
      '[{"id":1,"lines":[{"sku":5},{"sku":6}]}]',
    );
  });
  test('escaped spelling of a hidden key hides it too, and of a kept key keeps it', () => {
    expect(view(`[{"s\\u0073n":"${secret}","\\u0069d":1}]`, ['id'])).toBe('[{"id":1}]');
  });
  test('what stops being JSON is cut, never passed on', () => {
    expect(view(`[{"id":1},{"id":2 oops "x":"${secret}"}]`, ['id'])).not.toContain(secret);
    expect(view(`{"rows":[{"id":1}]}\n{"x":"${secret}"}`, ['id'])).not.toContain(secret);
  });
});

describe('applyView: NDJSON and CSV', () => {
  test('line by line; a broken line stays broken and takes no other with it', () => {
    const text = `{"id":1,"ssn":"${secret}"}\n{"id":2,"ssn":"${secret}\n\n"${secret}"\n{"id":3,"rows":[{"id":"${secret}"}]}\n`;
    const lines = view(text, ['id']).split('\n');
    expect(lines).toEqual(['{"id":1}', '{"id":2', '{', '{"id":3}']);
  });
  test('CSV keeps columns by header, quotes and line ends inside cells included', () => {
    const text = `\uFEFFid,"s,sn",name\r\n1,${secret},"a ""b""\r\nc"\r\n2,"${secret},x",\r\n3\r\n4,${secret},x,${secret}`;
    expect(view(text, ['name', 'id'])).toBe('\uFEFFid,name\r\n1,"a ""b""\r\nc"\r\n2,\r\n,\n,');
  });
  test('a row with another number of cells keeps its place and none of its cells', () => {
    const moved = `id,ssn,name\n1,${secret.replace('-', ',')},ann\n2,x,bob\n\n3\n`;
    expect(view(moved, ['id', 'name'])).toBe('id,name\n,\n2,bob\n\n,\n');
    expect(view(`id,ssn\n1\n2,${secret}\n`, ['id'])).toBe('id\n""\n2\n');
    expect(view(`id,name,ssn\n1,"cut`, ['id', 'name'])).toBe('id,name\n"');
  });
  test('words under what only looks like a field are no table', () => {
    expect(() => view(`id\nalice has ${secret}`, ['id'])).toThrow('no fields to keep');
    expect(() => view(`id, please.\nalice has ${secret}`, ['id'])).toThrow('no fields to keep');
  });
  test('TSV and a kept column in the middle', () => {
    expect(view(`a\tb\tc\n1\t2\t3\n`, ['b'])).toBe('b\n2\n');
  });
  test('text has no fields: refused, not stored', () => {
    expect(() => view(`the secret is ${secret}`, ['id'])).toThrow(
      expect.objectContaining({ name: 'ClaimcheckError', code: 'ToolFailed' }),
    );
  });
});

test('in pieces of any size it is the same, and the planted secret is nowhere', async () => {
  const row = fc.record({
    id: fc.integer(),
    name: fc.string({ unit: 'binary' }),
    ssn: fc.constant(secret),
    inner: fc.record({ ssn: fc.constant([secret, { ssn: secret }]), ok: fc.string() }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), fc.integer({ min: 1, max: 50 }), async (rows, size) => {
      const kept = ['id', 'name', 'inner.ok'];
      const want = rows.map(({ id, name, inner }) => ({ id, name, inner: { ok: inner.ok } }));
      for (const text of [
        JSON.stringify(rows),
        JSON.stringify({ meta: { by: secret }, rows }),
        rows.map((r) => JSON.stringify(r)).join('\n'),
      ]) {
        if (text === '') continue;
        const whole = view(text, kept);
        expect(await inPieces(text, kept, size)).toBe(whole);
        expect(whole).not.toContain(secret);
      }
      expect(JSON.parse(view(JSON.stringify(rows), kept))).toEqual(want);
    }),
    { numRuns: 60 },
  );
});

test('a first record wider than the look-ahead is filtered as well', async () => {
  const text = `[{"pad":"${'x'.repeat(1_500_000)}${secret}","id":1},{"id":2,"ssn":"${secret}"}]`;
  expect(await inPieces(text, ['id'], 64 * 1024)).toBe('[{"id":1},{"id":2}]');
});
