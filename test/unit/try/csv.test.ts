import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parsed } from '../export/exported.ts';

const checkout = resolve(import.meta.dirname, '../../..');
const input = (name: string) => join(checkout, 'test/fixtures/cases', name);
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claimcheck-csv-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
jest.setTimeout(120_000);

function tryCsv(file: string, ...more: readonly string[]) {
  const out = join(folder, 'out.csv');
  rmSync(out, { force: true });
  const args = ['--import', 'tsx', join(checkout, 'scripts/try.ts'), 'csv', file, '--out', out, ...more];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: checkout });
  return { status, stderr, stdout, csv: existsSync(out) ? readFileSync(out, 'utf8') : null };
}

/** The payload, and the records of the file by two strict parsers. */
function good(name: string, ...more: readonly string[]) {
  const { status, stdout, csv, stderr } = tryCsv(input(name), ...more);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const payload = JSON.parse(stdout) as Record<string, unknown>;
  const [header, ...rows] = parsed(csv ?? '');
  return { payload, header: header ?? [], rows, bytes: Buffer.byteLength(stdout.trimEnd()) };
}

test('H042: every formula cell gets exactly one mark that is no white space, all other cells are unchanged', () => {
  const source = JSON.parse(readFileSync(input('formula-cells.json'), 'utf8')) as {
    n: number;
    cell: string;
    guard: boolean | 'optional';
  }[];
  const { rows, header } = good('formula-cells.json');
  expect(header).toEqual(['n', 'cell', 'guard']);
  expect(rows).toHaveLength(24);
  for (const { n, cell, guard } of source) {
    const wanted = guard === false ? cell : `'${cell}`;
    expect([n, rows[n]?.[1]]).toEqual([n, wanted]);
  }
});

test('H045: keys that first appear late are columns, in the order of first sight', () => {
  const { header, rows, payload } = good('late-keys.json');
  expect(header).toEqual(['id', 'name', 'error', 'extra']);
  expect(rows).toHaveLength(120);
  expect(payload).toMatchObject({ rows_exported: 120 });
  expect(rows[5]).toEqual(['5', '', '', '']);
  expect(rows[100]?.[2]).toBe('timeout');
  expect(rows[119]?.[3]).toBe('{"a":1}');
});

test('H047: null and absent are empty, everything else is what it was', () => {
  const { header, rows } = good('null-empty.json');
  expect(header).toEqual(['a', 'b', 'c']);
  expect(rows).toEqual([
    ['', '', 'x'],
    ['', '', 'x'],
    ['[]', '{}', '0'],
    ['false', 'true', '-0.0'],
    ['null', 'undefined', 'NaN'],
    [' ', 'x', ''],
    ['', '', ''],
  ]);
});

test('H050: a cell longer than a spreadsheet shows is whole in the file and warned of', () => {
  const { rows, payload } = good('long-cell.json');
  expect(rows).toHaveLength(3);
  expect(rows.some((row) => row[1]?.includes('END2'))).toBe(true);
  expect(payload['warnings']).toEqual([expect.stringMatching(/^1 cell is longer than the 32,767 characters/)]);
});

test('H052: 60 MB in a process of 512 MB: every row is in the file, the last one too', () => {
  const file = join(folder, 'big.json');
  const made = execFileSync(process.execPath, [input('expand.mjs'), 'file', '60000000'], { maxBuffer: 100_000_000 });
  writeFileSync(file, made);
  const count = (JSON.parse(made.toString('utf8')) as unknown[]).length;
  const out = join(folder, 'big.csv');
  const script = join(checkout, 'scripts/try.ts');
  // Half of the heap that a process of this size may have.
  // Not the maximum that the system counts for a process: a new one begins with that of the process which started it.
  const told = `data:text/javascript,${encodeURIComponent(
    "import {readFileSync} from 'node:fs'; process.on('exit', () => process.stderr.write(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]))",
  )}`;
  const args = ['--max-old-space-size=128', '--import', told, '--import', 'tsx', script, 'csv', file, '--out', out];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: checkout });
  expect(status).toBe(0);
  // Kibibytes at the highest, Node.js and its loader included: far below the 512 MB, and not a copy of the file.
  expect(Number(stderr)).toBeGreaterThan(10_000);
  expect(Number(stderr)).toBeLessThan(300_000);
  expect(JSON.parse(stdout)).toMatchObject({ rows_exported: count, inline_truncated: true });
  const csv = readFileSync(out, 'utf8');
  expect(
    csv
      .split('\r\n')
      .at(-2)
      ?.startsWith(`${count - 1},`),
  ).toBe(true);
  expect(csv.split('\r\n')).toHaveLength(count + 2);
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('H036: byte order mark, blank lines, CRLF and a cut last line', () => {
  expect(good('bom.json')).toMatchObject({ header: ['id'], rows: [['1'], ['2'], ['3']] });
  expect(good('bom.ndjson')).toMatchObject({ header: expect.arrayContaining(['id']), rows: { length: 6 } });
  expect(good('blank-lines-crlf.ndjson').rows).toEqual([
    ['1', ''],
    ['2', ''],
    ['3', 'a\r\nb'],
    ['4', ''],
  ]);
  const cut = good('cut-last-line.ndjson');
  expect(cut.rows).toHaveLength(2);
  expect(cut.payload['warnings']).toEqual(['of the input: the last line is cut']);
});

test('H038: NaN and infinities are not lost, and said', () => {
  const { rows, payload } = good('nan-infinity.txt');
  expect(rows.map((row) => row[1])).toEqual(['NaN', 'Infinity', "'-Infinity", '0.5']);
  expect(payload['warnings']).toEqual([expect.stringContaining('NaN or Infinity')]);
});

test('H040: keys that JavaScript knows otherwise are columns like any other', () => {
  const { header, rows, payload } = good('proto-keys.json');
  expect(header).toEqual(['id', '__proto__', 'constructor', 'toString', 'a', 'hasOwnProperty', 'length']);
  expect(rows).toEqual([
    ['1', '{"polluted":true}', '', '', '', '', ''],
    ['2', '', 'Acme Builders', 'x', '', '', ''],
    ['3', '', '', '', '2', '', ''],
    ['4', '', '', '', '', '1', '7'],
  ]);
  expect(payload).toMatchObject({ rows_exported: 4 });
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test('the payload is within its budget, and its rows are a prefix that grows with it', () => {
  const source = JSON.parse(readFileSync(input('late-keys.json'), 'utf8')) as unknown[];
  let before = 0;
  for (const budget of [400, 700, 1_500, 4_000, 24_576]) {
    const { payload, bytes } = good('late-keys.json', '--budget', String(budget));
    const data = payload['data'] as unknown[];
    expect(bytes).toBeLessThanOrEqual(budget);
    expect(data).toEqual(source.slice(0, data.length));
    expect(payload).toMatchObject({
      rows_inline: data.length,
      inline_truncated: data.length < 120,
      total_matching: null,
    });
    expect(data.length).toBeGreaterThanOrEqual(before);
    before = data.length;
  }
  expect(before).toBe(120);
});

test('digits that a double does not hold stay in the file and in the payload', () => {
  const file = join(folder, 'digits.json');
  const text = '[{"id": 12345678901234567890, "n": 1.10, "deep": {"x": 0.1000, "s": "a  b"}},\n {"id": 1e400}]';
  writeFileSync(file, text);
  const { csv, stdout } = tryCsv(file);
  expect(parsed(csv ?? '')).toEqual([
    ['id', 'n', 'deep'],
    ['12345678901234567890', '1.10', '{"x":0.1000,"s":"a  b"}'],
    ['1e400', '', ''],
  ]);
  expect(stdout).toContain('{"id":12345678901234567890,"n":1.10,"deep":{"x":0.1000,"s":"a  b"}}');
});

test('what is no list, no file or no place to write is an error with a reason, and leaves no file', () => {
  writeFileSync(join(folder, 'a.txt'), 'just words\nand more\n');
  for (const [args, reason] of [
    [[join(folder, 'a.txt')], 'expected a JSON or NDJSON list'],
    [[join(folder, 'absent.json')], 'no such file'],
    [[input('bom.json'), '--budget', 'x'], '--budget'],
  ] as const) {
    const { status, stderr, csv } = tryCsv(...(args as readonly [string, ...string[]]));
    expect([status, csv]).toEqual([2, null]);
    expect(stderr).toContain(reason);
  }
});
