import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

test('every case file has an answer', async () => {
  for (const name of readdirSync(cases).filter((file) => /^(bom|blank|cut|nan|proto|cjk)/.test(file))) {
    const { status, stdout } = await run(join(cases, name));
    expect([name, status]).toEqual([name, 0]);
    expect(JSON.parse(stdout).bytes).toBeGreaterThan(0);
  }
});

test('the script knows the command and passes its status on', async () => {
  const script = [join(root, 'scripts/try.ts'), 'preview', 'no-such-file'];
  const status = await new Promise((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', ...script], { cwd: root }, (error) => resolve(error?.code));
  });
  expect(status).toBe(2);
}, 60_000);
