import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepResult } from '../../../core/store/keep-result.ts';
import { run as preview } from '../../../scripts/try/preview.ts';
import { runWorld } from '../../fakes/run-world.ts';
import { request } from '../store/keep-request.ts';

const root = join(__dirname, '../../..');
const cases = join(root, 'test/fixtures/cases');

/** The command itself, in this process: what it writes and the status that it answers. */
async function run(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    jest.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += String(text);
      return true;
    }),
  );
  try {
    return { status: await preview(args), ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

test('a JSON string that holds JSON is taken as the hook takes it', async () => {
  const inner = JSON.stringify(
    Array.from({ length: 300 }, (_, id) => ({ id, é: 'x' })),
    null,
    1,
  );
  const text = JSON.stringify(inner);
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-'));
  try {
    const file = join(folder, 'string.json');
    writeFileSync(file, `  ${text}`);
    const shown = JSON.parse((await run(file)).stdout);
    const sha256 = createHash('sha256').update(inner).digest('hex');
    expect(shown).toMatchObject({ encoding: 'unwrapped', records: 300, bytes: Buffer.byteLength(inner), sha256 });
    const kept = await keepResult(request({ result: { status: 'success', content: [{ text }] } }), await runWorld());
    expect(kept.stored).toMatchObject({ records: shown.records, bytes: shown.bytes, sha256 });
    expect(kept.warnings).toEqual([expect.stringMatching(/left out.*quotes and escapes/)]);
    writeFileSync(file, JSON.stringify('words, "quoted"'));
    expect(JSON.parse((await run(file)).stdout)).toMatchObject({ encoding: 'text', records: 1, path: null });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('one JSON object on standard output, nothing else', async () => {
  const { status, stdout, stderr } = await run(join(cases, 'wrapped-rows.json'), '--budget', '400');
  expect([status, stderr]).toEqual([0, '']);
  const shown = JSON.parse(stdout);
  expect(Object.keys(shown).slice(0, 8)).toEqual([
    'kind',
    'path',
    'bytes',
    'sha256',
    'records',
    'preview',
    'coverage',
    'profile',
  ]);
  expect(shown).toMatchObject({ kind: 'json', path: 'payload.page.rows', bytes: 19_466, records: 220 });
  expect(Buffer.byteLength(shown.preview)).toBeLessThanOrEqual(400);
  expect(JSON.parse(shown.preview).payload.page.rows).toHaveLength(shown.coverage.loaded);
  expect(shown.profile.columns.map(({ path }: { path: string }) => path)).toEqual(['id', 'name', 'note']);
});

test('the default budget is what a tool may insert', async () => {
  const { stdout } = await run(join(cases, 'one-giant-record.json'));
  const { preview, shown, firstRecordBytes } = JSON.parse(stdout);
  expect(Buffer.byteLength(preview)).toBeGreaterThan(20_000);
  expect(Buffer.byteLength(preview)).toBeLessThanOrEqual(24 * 1024);
  expect([shown, firstRecordBytes]).toEqual([0, 42_095]);
});

test.each([
  [[], 'FILE'],
  [['no-such-file'], 'FILE'],
  [[cases], 'FILE'],
  [['a', 'b'], 'FILE'],
  [[join(cases, 'bom.json'), '--budget', 'many'], '--budget'],
  [[join(cases, 'bom.json'), '--budget', '-1'], '--budget'],
  [[join(cases, 'bom.json'), '--budget'], '--budget'],
  [[join(cases, 'bom.json'), '--limit', '3'], '--limit'],
])('%j: exit status 2 and a reason that names %s', async (args, field) => {
  const { status, stdout, stderr } = await run(...args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`preview: ${field}: `);
});

/** Kind, path of the rows, records in all, and records (of them) within 1,000 bytes. */
const expected: Readonly<Record<string, readonly [string, string, number, number]>> = {
  'blank-lines-crlf.ndjson': ['ndjson', '', 4, 4],
  'bom.json': ['json', '', 3, 3],
  'bom.ndjson': ['ndjson', '', 6, 6],
  'cjk-records.json': ['json', '', 150, 5],
  'content-blocks.json': ['json', 'toolResult.content', 3, 3],
  'cookies.json': ['json', 'rows', 7, 7],
  'cursors.json': ['json', 'rows', 8, 5],
  'cut-anywhere-escaped.json': ['json', 'data', 9, 9],
  'cut-anywhere.json': ['json', '', 9, 9],
  'cut-last-line.ndjson': ['ndjson', '', 2, 2],
  'document-names.json': ['json', 'names', 12, 12],
  'filenames.json': ['json', 'rows', 10, 10],
  'formula-cells.json': ['json', '', 24, 18],
  'group-claims.json': ['json', 'rows', 13, 11],
  'identities.json': ['json', 'rows', 8, 8],
  'image-result.json': ['json', 'toolResult.content', 2, 1],
  'late-keys.json': ['json', '', 120, 38],
  'long-cell.json': ['json', '', 3, 1],
  'mcp-dual.json': ['json', 'variants.both_same.structuredContent.issues', 30, 1],
  'metadata-values.json': ['json', 'rows', 8, 5],
  'nan-infinity.txt': ['json', '', 4, 4],
  'non-text-blocks.json': ['json', 'toolResult.content', 4, 1],
  'null-empty.json': ['json', '', 7, 7],
  'one-giant-record.json': ['json', '', 1, 0],
  'overflow-errors.json': ['json', 'rows', 11, 4],
  'parallel-history.json': ['json', 'good', 3, 1],
  'patterns.json': ['json', 'patterns', 8, 8],
  'proto-keys.json': ['json', '', 4, 4],
  'query-pages.json': ['json', 'cases', 5, 3],
  'read-args.json': ['json', 'rows', 12, 7],
  'rows-40.json': ['json', '', 40, 17],
  'tool-outputs-json.json': ['json', 'rows', 10, 10],
  'ttl-items.json': ['json', 'rows', 5, 5],
  'wrapped-rows.json': ['json', 'payload.page.rows', 220, 10],
};

test('no case file is without an expectation', () => {
  const files = readdirSync(cases).filter((name) => !name.endsWith('.mjs'));
  expect(files.sort()).toEqual(Object.keys(expected).sort());
});

test.each(Object.entries(expected))('%s', async (name, [kind, path, records, loaded]) => {
  const budget = 1_000;
  const body = readFileSync(join(cases, name));
  const { status, stdout } = await run(join(cases, name), '--budget', String(budget));
  const shown = JSON.parse(stdout);
  const sha256 = createHash('sha256').update(body).digest('hex');
  expect([name, status]).toEqual([name, 0]);
  expect(shown).toMatchObject({
    kind,
    path,
    bytes: body.length,
    sha256,
    records,
    coverage: { total: records, loaded },
  });
  expect(Buffer.byteLength(shown.preview)).toBeLessThanOrEqual(budget);
  // What is shown parses, and its rows are the first ones of the file.
  const bom = body[0] === 0xef ? 3 : 0;
  const text = body.toString('utf8', bom).replace(/(?<=: )(NaN|-?Infinity)/g, '"$1"');
  if (kind === 'ndjson') {
    const lines = (of: string) => of.split('\n').filter((line) => line.trim() !== '');
    const values = lines(shown.preview).map((line) => JSON.parse(line));
    expect(values).toEqual(
      lines(text)
        .slice(0, loaded)
        .map((line) => JSON.parse(line)),
    );
  } else {
    const rows = (of: unknown) =>
      path.split('.').reduce((value, key) => (key === '' ? value : (value as Record<string, unknown>)[key]), of);
    if (loaded > 0)
      expect(rows(JSON.parse(shown.preview))).toEqual((rows(JSON.parse(text)) as unknown[]).slice(0, loaded));
    else expect(shown).toMatchObject({ shortened: true, coverage: { byte_complete: false } });
  }
  expect(shown.coverage.input_complete).toBe(loaded === records && shown.parseLoss === null);
});

test('the script knows the command and passes its status on', async () => {
  const script = [join(root, 'scripts/try.ts'), 'preview', 'no-such-file'];
  const status = await new Promise((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', ...script], { cwd: root }, (error) => resolve(error?.code));
  });
  expect(status).toBe(2);
}, 60_000);
