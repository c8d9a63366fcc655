import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const rows40 = join(root, 'test/fixtures/cases/rows-40.json');

/** The command as a person runs it. */
function tryRead(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'scripts/try.ts', 'read', ...args],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  return { status, stdout, stderr };
}

test('prints data and coverage, with the own digits of every number', () => {
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-try-'));
  try {
    const file = join(folder, 'big.json');
    writeFileSync(file, '[{"id":12345678901234567890,"x":1},{"id":1.50}]');
    const { status, stdout, stderr } = tryRead(file, '--fields', 'id', '--limit', '1');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\{"data":\[\{"id":12345678901234567890\}\],"coverage":\{.*\}\}\n$/);
    expect(Object.keys(JSON.parse(stdout))).toEqual(['data', 'coverage']);

    const text = join(folder, 'a.txt');
    writeFileSync(text, 'one\ntwo\nthree\n');
    expect(JSON.parse(tryRead(text, '--lines', '2-3').stdout).data).toBe('two\nthree\n');
    writeFileSync(text, '');
    expect(JSON.parse(tryRead(text).stdout).coverage).toMatchObject({ loaded: 0, total: 0 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

test('offset and limit', () => {
  const { data, coverage } = JSON.parse(tryRead(rows40, '--offset', '39', '--limit=10').stdout);
  expect(data.map((row: { id: number }) => row.id)).toEqual([39]);
  expect(coverage).toMatchObject({ loaded: 1, total: 40, left: 0, next_offset: null });
}, 60_000);

test.each([
  [['no-such-file.json'], /^read: ENOENT/],
  [[rows40, '--fields', 'nope'], /^read: fields: no "nope" in this result; known: id, name, price, tags\n$/],
  [[rows40, '--offset', '-1'], /^read: offset: expected a whole number/],
  [[rows40, '--offset', 'x'], /^read: offset: expected a whole number/],
  [[rows40, '--what', '1'], /^read: unknown option --what; usage:/],
  [[], /^read: expected one FILE; usage:/],
])(
  '%j: the reason on standard error, exit 2',
  (args, reason) => {
    const { status, stdout, stderr } = tryRead(...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(reason);
  },
  60_000,
);
