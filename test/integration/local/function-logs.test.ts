import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateFunctionCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { functionLogs } from '../../../local/function-logs.ts';
import { credentials, region } from '../../../local/ministack.ts';
import { type EmulatedServices, emulatedServices } from '../ministack.ts';

// What `npm run stats` and the load test count must be all that the functions have logged.
jest.setTimeout(180_000);
const folder = mkdtempSync(join(tmpdir(), 'function-logs-'));
const venv = join(import.meta.dirname, '../../../.local/venv');
let services: EmulatedServices;
let lambda: LambdaClient;

beforeAll(async () => {
  services = await emulatedServices();
  lambda = new LambdaClient({ endpoint: services.url, region, credentials, maxAttempts: 1 });
});
afterAll(async () => {
  lambda.destroy();
  await services.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function made(FunctionName: string, source: string, seconds = 60): Promise<void> {
  writeFileSync(join(folder, 'index.js'), source);
  rmSync(join(folder, 'code.zip'), { force: true });
  execFileSync(join(venv, 'bin', 'python'), ['-m', 'zipfile', '-c', 'code.zip', 'index.js'], { cwd: folder });
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Role: 'arn:aws:iam::000000000000:role/none',
      Timeout: seconds,
      Code: { ZipFile: readFileSync(join(folder, 'code.zip')) },
    }),
  );
}

async function invoke(FunctionName: string, event: unknown = {}) {
  const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(event)) }));
  return {
    error: answer.FunctionError,
    body: JSON.parse(Buffer.from(answer.Payload ?? []).toString('utf8')) as Record<string, unknown> | null,
  };
}

async function logged(name: string): Promise<readonly string[]> {
  const lines = await functionLogs(services.url, name);
  return lines.map(({ message }) => message).filter((message) => !/^(?:START|END|REPORT) /.test(message));
}

test('every line of 64 invocations at once is there, the last of each process too', async () => {
  const [calls, lines] = [64, 12];
  // The first lines are long read when the last ones come right before the answer; then every process keeps a
  // processor busy, so that whoever reads the logs comes late.
  await made(
    'logs-busy',
    `exports.handler = async ({ call }) => {
      for (let n = 0; n < ${lines}; n += 1) {
        if (n === ${lines} / 2) await new Promise((resolve) => setTimeout(resolve, 50));
        console.log(JSON.stringify({ call, n, text: '検'.repeat(50) }));
      }
      setImmediate(() => { const until = Date.now() + 800; while (Date.now() < until); });
      return null;
    };`,
  );
  await Promise.all(Array.from({ length: calls }, (_, call) => invoke('logs-busy', { call })));
  const seen = (await logged('busy')).map((line) => JSON.parse(line) as { call: number; n: number; text: string });
  expect(seen.every(({ text }) => text === '検'.repeat(50))).toBe(true);
  const places = seen.map(({ call, n }) => call * lines + n).sort((a, b) => a - b);
  expect(places).toEqual(Array.from({ length: calls * lines }, (_, place) => place));
});

test('a group of more lines than one page holds is read to its end', async () => {
  const lines = 10_500;
  await made(
    'logs-many',
    `exports.handler = async () => { for (let n = 0; n < ${lines}; n += 1) console.log('n ' + n); }`,
  );
  await invoke('logs-many');
  await invoke('logs-many');
  const counted = new Map<string, number>();
  for (const line of await logged('many')) counted.set(line, (counted.get(line) ?? 0) + 1);
  expect([counted.size, new Set(counted.values())]).toEqual([lines, new Set([2])]);
});

test('a function whose process is killed ends as on AWS, and what it had logged is there', async () => {
  await made(
    'logs-killed',
    `exports.handler = async () => { console.log('last words'); process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); }`,
  );
  const { error, body } = await invoke('logs-killed');
  expect(error).toBe('Unhandled');
  expect(body).toMatchObject({ errorType: 'Runtime.ExitError' });
  expect(String(body?.['errorMessage'])).toMatch(/^RequestId: \S+ Error: Runtime exited with error: signal: killed$/);
  expect(await logged('killed')).toContain('last words');
  // An error that a handler throws keeps being one, whatever it says.
  await made('logs-thrown', `exports.handler = async () => { throw new Error('worker process died'); }`);
  expect((await invoke('logs-thrown')).body).toMatchObject({ errorType: 'Runtime.HandlerError' });
});

test('a function over its time is killed and says so, with what it had logged', async () => {
  await made(
    'logs-late',
    `exports.handler = async () => { console.log('still here'); await new Promise(() => setInterval(() => {}, 1000)); }`,
    1,
  );
  expect((await invoke('logs-late')).body).toMatchObject({ errorType: 'Sandbox.Timedout' });
  expect(await logged('late')).toContain('still here');
});

test('a process that goes on logging after its answer does not hold the answer up', async () => {
  await made(
    'logs-endless',
    `exports.handler = async () => { console.log('answering'); setImmediate(() => { for (;;) console.log('x'.repeat(4_000)); }); return 1; }`,
    20,
  );
  const began = Date.now();
  expect(await invoke('logs-endless')).toEqual({ error: undefined, body: 1 });
  expect(Date.now() - began).toBeLessThan(10_000);
  expect((await logged('endless'))[0]).toBe('answering');
});
