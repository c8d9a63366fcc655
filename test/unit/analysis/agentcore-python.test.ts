import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { agentCorePython } from '../../../aws/agentcore-python.ts';
import type { EngineInput, EngineJob } from '../../../core/analysis/engine.ts';
import { ClaimcheckError } from '../../../core/errors.ts';
import { locateRecord } from '../../../core/scan/record-locator.ts';
import { scanBytes } from '../../../core/scan/result-scanner.ts';
import { type Asked, FakeCodeInterpreter, interpreter, interpreterSession } from '../../fakes/code-interpreter.ts';

const body = Buffer.from(JSON.stringify({ items: [{ n: 1 }, { n: 2 }, { n: 40 }] }));
const service = new FakeCodeInterpreter();

beforeAll(() => service.start());
beforeEach(() => {
  service.asked = [];
  service.refuse = null;
  service.bodies.set('/body', body);
});
afterAll(() => service.stop());

function run(
  text = 'result = sum(r["n"] for r in rows("data"))',
  change: Partial<EngineInput> = {},
  deadlineMs = 5_000,
) {
  const index = scanBytes(body, { previewBytes: 0 });
  const input: EngineInput = {
    name: 'data',
    url: `${service.address}/body`,
    bytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
    kind: index.kind,
    path: index.path,
    table: index.table,
    recordStart: locateRecord(index, 0)?.recordStart ?? null,
    ...change,
  };
  const limits = { deadlineMs, maxOutputBytes: 1_000 };
  const job: EngineJob = { inputs: [input], program: { kind: 'python', text }, chart: null, limits };
  return agentCorePython(service.client(), interpreter).run(job);
}

test('records and program go in as files and text, the result comes out, the session is stopped', async () => {
  service.program = (mark) => ({ stdout: `hello\n\n${mark}43\n` });
  const answer = await run();
  expect(answer).toEqual({
    outcome: 'value',
    text: '43',
    inputs: [{ name: 'data', records: 3, bytes: body.length, columns: [] }],
    chart: null,
  });
  expect(service.asked.map(({ operation }) => operation)).toEqual([
    'sessions/start',
    'tools/invoke',
    'tools/invoke',
    'sessions/stop',
  ]);
  expect(service.asked.slice(1, 3).map((each) => each.session)).toEqual([interpreterSession, interpreterSession]);
  const [start, write, execute] = service.asked.map(({ body: sent }) => sent);
  expect(start).toMatchObject({ name: 'claimcheck-analysis', sessionTimeoutSeconds: 25 });
  const { content } = (write as Asked['body'])['arguments'] as { content: { path: string; blob: string }[] };
  expect(content[0]?.path).toBe('data.ndjson');
  expect(Buffer.from(content[0]?.blob ?? '', 'base64').toString('utf8')).toBe('{"n":1}\n{"n":2}\n{"n":40}\n');
  expect(execute).toMatchObject({ name: 'executeCode', arguments: { language: 'python' } });
  // No address of the stored copy goes along.
  expect(JSON.stringify(service.asked)).not.toContain('/body');
});

test.each<[string, () => void, object]>([
  [
    'an exception of the program',
    () => {
      service.program = () => ({ stderr: 'Traceback\n  File "/opt/app/x.py", line 3\nKeyError: \'m\'', exitCode: 1 });
    },
    { outcome: 'error', code: 'AnalysisFailed', message: expect.stringMatching(/\[path\][\s\S]*KeyError: 'm'/) },
  ],
  [
    'a result that is too large',
    () => {
      service.program = (mark) => ({ stdout: `${mark}#5000` });
    },
    { outcome: 'error', code: 'AnalysisLimit', message: 'python: the result has 5000 bytes, at most 1000' },
  ],
  [
    'a program that leaves before its result',
    () => {
      service.program = () => ({ stdout: '43' });
    },
    { outcome: 'error', code: 'AnalysisFailed' },
  ],
])('%s', async (_, set, expected) => {
  set();
  expect(await run()).toMatchObject(expected);
  expect(service.operations().at(-1)).toBe('sessions/stop');
});

test.each([
  ['throttled', { status: 429, type: 'ThrottlingException' }],
  ['no right', { status: 403, type: 'AccessDeniedException' }],
])('%s: unavailable, in our own words', async (_, answer) => {
  service.refuse = answer;
  const error = await run().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ClaimcheckError);
  expect(error).toMatchObject({ code: 'ToolUnavailable' });
  expect((error as Error).message).not.toMatch(/arn|role/);
  expect(service.operations()).toEqual(['sessions/start']);
});

test('a stream that ends without a result is no answer, and the session is stopped', async () => {
  service.program = () => 'cut';
  await expect(run()).rejects.toMatchObject({ code: 'ToolUnavailable' });
  expect(service.operations().at(-1)).toBe('sessions/stop');
});

test('a stored copy with another digest, or too large, starts no session', async () => {
  await expect(run(undefined, { sha256: '0'.repeat(64) })).rejects.toMatchObject({ code: 'StorageUnavailable' });
  expect(await run(undefined, { bytes: 33 * 1024 * 1024 })).toMatchObject({ code: 'AnalysisLimit' });
  expect(service.asked).toEqual([]);
});

test('a body that never ends is not taken in: it is another one', async () => {
  const endless = createServer((_, response) => {
    response.writeHead(200);
    Readable.from(
      (function* () {
        for (;;) yield body;
      })(),
    ).pipe(response);
  });
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/body`;
    await expect(run(undefined, { url })).rejects.toMatchObject({
      code: 'StorageUnavailable',
      message: 'data: the stored copy does not match its digest',
    });
  } finally {
    endless.closeAllConnections();
    endless.close();
  }
  expect(service.asked).toEqual([]);
});

test('a program with quotes and line ends of its own stays one text', async () => {
  service.program = (mark) => ({ stdout: `${mark}null` });
  const text = `result = """'")\nprint("x")\n\\"""`;
  await run(text);
  const execute = service.asked.find(({ body: sent }) => sent['name'] === 'executeCode');
  const { code } = (execute as Asked).body['arguments'] as { code: string };
  const literal = /answer = run\(json\.loads\((".*")\)\)/.exec(code)?.[1] ?? 'null';
  expect(JSON.parse(JSON.parse(literal) as string)).toBe(text);
});
