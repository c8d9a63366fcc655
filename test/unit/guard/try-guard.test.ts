import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../../scripts/try/guard.ts';
import { ask, call, result, rows } from './memory.ts';

const folder = mkdtempSync(join(tmpdir(), 'try-guard-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function tried(value: unknown, ...args: string[]) {
  const file = join(folder, 'request.json');
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  const out: string[] = [];
  const err: string[] = [];
  const stdout = jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  const stderr = jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0);
  const status = await run([file, ...args]);
  stdout.mockRestore();
  stderr.mockRestore();
  return { status, out: out.join(''), err: err.join('') };
}

const history = [
  ask('go'),
  call('a', 'b'),
  { role: 'user', content: [...result('a', rows(60_000)).content, ...result('b', rows(90_000)).content] },
];

describe('try guard', () => {
  it('prints one object: what would be replaced, in order, and the request', async () => {
    const { status, out } = await tried(history, '--window', '100000', '--share', '0.5');
    expect(status).toBe(0);
    const answer = JSON.parse(out) as {
      estimate: number;
      limit: number;
      replaced: { toolUseId: string; bytes: number }[];
      request: unknown[];
    };
    expect(Object.keys(answer)).toEqual(['estimate', 'limit', 'replaced', 'request']);
    expect(answer.limit).toBe(50_000);
    expect(answer.estimate).toBeGreaterThan(50_000);
    expect(answer.replaced[0]).toMatchObject({ toolUseId: 'b' });
    expect(answer.replaced[0]?.bytes).toBeGreaterThan(88_000);
    expect(answer.request).toHaveLength(3);
    expect(answer.request[0]).toEqual(history[0]);
  });

  it('keeps a whole request whole, and takes the room for the answer off the window', async () => {
    const whole = {
      modelId: 'm',
      messages: [ask('hello')],
      inferenceConfig: { maxTokens: 1_000 },
      additional: { kept: true },
    };
    const { out } = await tried(whole, '--window', '2000');
    expect(JSON.parse(out)).toMatchObject({ limit: 850, replaced: [], request: whole });
  });

  it('ends with 3 where nothing can be shrunk, with 2 for bad input', async () => {
    expect(await tried([ask('words '.repeat(10_000))], '--window', '1000')).toMatchObject({ status: 3, out: '' });
    for (const [value, args] of [
      ['{', ['--window', '1000']],
      [{ messages: 'none' }, ['--window', '1000']],
      [[{ role: 'user', content: 'text' }], ['--window', '1000']],
      [history, []],
      [history, ['--window', 'many']],
      [history, ['--window', '1000', '--share', '2']],
      [history, ['--window', '1000', '--other']],
    ] as const) {
      const { status, out, err } = await tried(value, ...args);
      expect([status, out]).toEqual([2, '']);
      expect(err).toContain('try guard: ');
    }
  });
});
