import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BedrockAgentCoreClient } from '@aws-sdk/client-bedrock-agentcore';
import { agentCorePython } from '../../../aws/agentcore-python.ts';
import type { EngineInput, EngineJob } from '../../../core/analysis/engine.ts';
import { ClaimcheckError } from '../../../core/errors.ts';
import { locateRecord } from '../../../core/scan/record-locator.ts';
import { scanBytes } from '../../../core/scan/result-scanner.ts';
import { eventMessage } from '../../../local/model-server/event-stream.ts';

const interpreter = 'aws.codeinterpreter.v1';
const session = '01JQ0000000000000000000000';
const body = Buffer.from(JSON.stringify({ items: [{ n: 1 }, { n: 2 }, { n: 40 }] }));

interface Asked {
  readonly operation: string;
  readonly session: string | undefined;
  readonly body: Record<string, unknown>;
}

interface Printed {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
}

/** What the service answers to a program, given the mark that its wrapper prints before the result. */
let program: (mark: string) => Printed | 'hangs' | 'cut' = () => ({});
let refuse: { readonly status: number; readonly type: string } | null = null;
let asked: Asked[] = [];

/** Speaks the service's protocol as its API reference has it: REST and JSON, results in an event stream. */
const server = createServer(async (request, response) => {
  const text = await textOf(request);
  const path = decodeURIComponent(request.url ?? '');
  if (path === '/body') {
    response.end(body);
    return;
  }
  const operation =
    /^\/code-interpreters\/aws\.codeinterpreter\.v1\/(sessions\/start|sessions\/stop|tools\/invoke)/.exec(path)?.[1];
  const parsed = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  const header = request.headers['x-amzn-code-interpreter-session-id'];
  asked.push({ operation: operation ?? path, session: header as string | undefined, body: parsed });
  if (refuse !== null && operation === 'sessions/start') {
    response.writeHead(refuse.status, { 'content-type': 'application/json', 'x-amzn-errortype': refuse.type });
    response.end(JSON.stringify({ message: 'arn:aws:iam::123456789012:role/secret-name' }));
    return;
  }
  if (operation !== 'tools/invoke') {
    response.writeHead(200, { 'content-type': 'application/json' });
    const times = { createdAt: '2026-11-30T00:00:00Z', lastUpdatedAt: '2026-11-30T00:00:00Z' };
    response.end(JSON.stringify({ codeInterpreterIdentifier: interpreter, sessionId: session, ...times }));
    return;
  }
  response.writeHead(200, {
    'content-type': 'application/vnd.amazon.eventstream',
    'x-amzn-code-interpreter-session-id': session,
  });
  if (parsed['name'] === 'writeFiles') {
    response.end(
      eventMessage('result', { content: [{ type: 'text', text: 'Successfully wrote all files' }], isError: false }),
    );
    return;
  }
  const code = (parsed['arguments'] as { code: string }).code;
  const printed = program(/@[0-9a-f-]{36}@/.exec(code)?.[0] ?? 'no mark');
  if (printed === 'hangs') return;
  if (printed === 'cut') {
    response.end();
    return;
  }
  const { stdout = '', stderr = '', exitCode = 0 } = printed;
  response.end(
    eventMessage('result', {
      content: [{ type: 'text', text: exitCode === 0 ? stdout : stderr }],
      structuredContent: { stdout, stderr, exitCode, executionTime: 0.02 },
      isError: exitCode !== 0,
    }),
  );
});

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

let address = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
  refuse = null;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function run(
  text = 'result = sum(r["n"] for r in rows("data"))',
  change: Partial<EngineInput> = {},
  deadlineMs = 5_000,
) {
  const client = new BedrockAgentCoreClient({
    endpoint: address,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  const index = scanBytes(body, { previewBytes: 0 });
  const input: EngineInput = {
    name: 'data',
    url: `${address}/body`,
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
  return agentCorePython(client, interpreter).run(job);
}

const operations = () =>
  asked.map(({ operation, body: { name } }) => (operation === 'tools/invoke' ? String(name) : operation));

test('records and program go in as files and text, the result comes out, the session is stopped', async () => {
  program = (mark) => ({ stdout: `hello\n\n${mark}43\n` });
  const answer = await run();
  expect(answer).toEqual({
    outcome: 'value',
    text: '43',
    inputs: [{ name: 'data', records: 3, bytes: body.length, columns: [] }],
    chart: null,
  });
  expect(asked.map(({ operation }) => operation)).toEqual([
    'sessions/start',
    'tools/invoke',
    'tools/invoke',
    'sessions/stop',
  ]);
  expect(asked.slice(1, 3).map((each) => each.session)).toEqual([session, session]);
  const [start, write, execute] = asked.map(({ body: sent }) => sent);
  expect(start).toMatchObject({ name: 'claimcheck-analysis', sessionTimeoutSeconds: 25 });
  const { content } = (write as Asked['body'])['arguments'] as { content: { path: string; blob: string }[] };
  expect(content[0]?.path).toBe('data.ndjson');
  expect(Buffer.from(content[0]?.blob ?? '', 'base64').toString('utf8')).toBe('{"n":1}\n{"n":2}\n{"n":40}\n');
  expect(execute).toMatchObject({ name: 'executeCode', arguments: { language: 'python' } });
  // No address of the stored copy goes along.
  expect(JSON.stringify(asked)).not.toContain('/body');
});

test.each<[string, () => void, object]>([
  [
    'an exception of the program',
    () => {
      program = () => ({ stderr: 'Traceback\n  File "/opt/app/x.py", line 3\nKeyError: \'m\'', exitCode: 1 });
    },
    { outcome: 'error', code: 'AnalysisFailed', message: expect.stringMatching(/\[path\][\s\S]*KeyError: 'm'/) },
  ],
  [
    'a result that is too large',
    () => {
      program = (mark) => ({ stdout: `${mark}#5000` });
    },
    { outcome: 'error', code: 'AnalysisLimit', message: 'python: the result has 5000 bytes, at most 1000' },
  ],
  [
    'a program that leaves before its result',
    () => {
      program = () => ({ stdout: '43' });
    },
    { outcome: 'error', code: 'AnalysisFailed' },
  ],
])('%s', async (_, set, expected) => {
  set();
  expect(await run()).toMatchObject(expected);
  expect(operations().at(-1)).toBe('sessions/stop');
});

test.each([
  ['throttled', { status: 429, type: 'ThrottlingException' }],
  ['no right', { status: 403, type: 'AccessDeniedException' }],
])('%s: unavailable, in our own words', async (_, answer) => {
  refuse = answer;
  const error = await run().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ClaimcheckError);
  expect(error).toMatchObject({ code: 'ToolUnavailable' });
  expect((error as Error).message).not.toMatch(/arn|role/);
  expect(operations()).toEqual(['sessions/start']);
});

test('a stream that ends without a result is no answer, and the session is stopped', async () => {
  program = () => 'cut';
  await expect(run()).rejects.toMatchObject({ code: 'ToolUnavailable' });
  expect(operations().at(-1)).toBe('sessions/stop');
});

test('a stored copy with another digest, or too large, starts no session', async () => {
  await expect(run(undefined, { sha256: '0'.repeat(64) })).rejects.toMatchObject({ code: 'StorageUnavailable' });
  expect(await run(undefined, { bytes: 33 * 1024 * 1024 })).toMatchObject({ code: 'AnalysisLimit' });
  expect(asked).toEqual([]);
});

test('a program with quotes and line ends of its own stays one text', async () => {
  program = (mark) => ({ stdout: `${mark}null` });
  const text = `result = """'")\nprint("x")\n\\"""`;
  await run(text);
  const execute = asked.find(({ body: sent }) => sent['name'] === 'executeCode');
  const { code } = (execute as Asked).body['arguments'] as { code: string };
  const literal = /answer = run\(json\.loads\((".*")\)\)/.exec(code)?.[1] ?? 'null';
  expect(JSON.parse(JSON.parse(literal) as string)).toBe(text);
});
