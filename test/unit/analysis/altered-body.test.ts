import { readFileSync } from 'node:fs';
import type { EngineInput, EngineJob } from '../../../core/analysis/engine.ts';
import { chunkCount, chunkOf, chunkStart } from '../../../core/scan/chunk-schedule.ts';
import * as limited from '../../../lambdas/analysis-engine/limited-process.ts';
import type { BodyReader } from '../../../lambdas/analysis-engine/read-body.ts';
import { runJob } from '../../../lambdas/analysis-engine/run-job.ts';
import * as scripts from '../../../lambdas/analysis-engine/script-runner.ts';
import type { SqlMessage } from '../../../lambdas/analysis-engine/sql-work.ts';
import { AnalysisHost } from '../../fakes/analysis-host.ts';

jest.mock('../../../lambdas/analysis-engine/limited-process.ts', () => {
  const actual = jest.requireActual('../../../lambdas/analysis-engine/limited-process.ts');
  return { ...actual, startLimited: jest.fn(actual.startLimited) };
});
jest.mock('../../../lambdas/analysis-engine/script-runner.ts', () => {
  const actual = jest.requireActual('../../../lambdas/analysis-engine/script-runner.ts');
  return { ...actual, runScript: jest.fn(actual.runScript) };
});

// What an engine gets of a stored copy that is not the one that was asked for: read where it is handed to the engine.
jest.setTimeout(120_000);
const engine = new AnalysisHost(2048, { sliceBytes: 32 * 1024 });
beforeAll(() => engine.start());
afterAll(() => engine.stop());

const { startLimited } = jest.requireActual<typeof limited>('../../../lambdas/analysis-engine/limited-process.ts');
const records = Array.from({ length: 6_000 }, (_, id) => ({
  id,
  at: '2026-09-01T10:00:00Z',
  s: `text ${id} ${'x'.repeat(40)}`,
}));
const list = Buffer.from(JSON.stringify(records));
const lines = Buffer.from(records.map((each) => JSON.stringify(each)).join('\n'));

/** The bytes of every file that the process of the query was told of, as they were at that moment; did the query start? */
function watched() {
  const loaded: Buffer[] = [];
  let started = false;
  const hear = (messages: string) => {
    for (const line of messages.trim().split('\n')) {
      const message = JSON.parse(line) as SqlMessage;
      if (message.kind === 'slice' || message.kind === 'file') loaded.push(readFileSync(message.file));
      if (message.kind === 'start') started = true;
    }
  };
  jest.mocked(limited.startLimited).mockImplementation((...given) => {
    const child = startLimited(...given);
    return {
      ...child,
      send: (part) => {
        hear(part);
        child.send(part);
      },
      run: (work, told) => {
        hear(work);
        return child.run(work, told);
      },
    };
  });
  return { loaded: () => Buffer.concat(loaded), started: () => started };
}

/** Pieces as they come from a store, from a slow one and from memory. */
const piecesOf = (body: Uint8Array, bytes: number): BodyReader => {
  return async (_input, _signal, take) => {
    for (let at = 0; at < body.length; at += bytes) take(Buffer.from(body.subarray(at, at + bytes)));
  };
};

async function run(input: EngineInput, body: Uint8Array, pieceBytes: number, kind: 'sql' | 'script' = 'sql') {
  const seen = watched();
  const text =
    kind === 'sql' ? 'SELECT count(*), max(s) FROM data' : 'let n = 0; for (const r of rows()) n++; return n;';
  const job: EngineJob = {
    inputs: [input],
    program: { kind, text },
    chart: null,
    limits: { deadlineMs: 20_000, maxOutputBytes: 10_000 },
  };
  const answer = await runJob(job, { ...engine.host, read: piecesOf(body, pieceBytes) });
  return { answer, loaded: seen.loaded(), started: seen.started() };
}

const altered = (body: Buffer, where: number): Buffer => {
  const other = Buffer.from(body);
  // Within a text: all that is wrong with it is that it is another one.
  const at = other.indexOf('xxxx', where);
  other[at] = 0x79;
  return other;
};
const last = chunkCount(list.length) - 1;
const refused = {
  outcome: 'error',
  code: 'StorageUnavailable',
  message: expect.stringContaining('does not match its digest'),
};

describe.each([
  ['a list', list],
  ['lines', lines],
])('%s', (_, body) => {
  const input = engine.input.bind(engine, 'data', body);
  let right: Buffer;
  beforeAll(async () => {
    const { answer, loaded } = await run(input(), body, 50_000);
    expect(answer).toMatchObject({ rows: [[String(records.length), expect.any(String)]] });
    right = loaded;
    // Every record, as a line of its own.
    expect(right.toString('utf8').trimEnd().split('\n')).toHaveLength(records.length);
  });

  describe.each([
    ['the first', 0],
    ['a middle', Math.floor(last / 2)],
    ['the last', last],
  ])('one other byte in %s chunk', (_name, chunk) => {
    const other = altered(body, chunkStart(chunk) + (chunk === 0 ? 100 : 0));

    test.each([1_000, 50_000, 64 * 1024, 10_000_000])(
      'in pieces of %d: nothing of the chunk is loaded',
      async (bytes) => {
        expect(chunkOf(other.indexOf('y'))).toBe(chunk);
        const { answer, loaded, started } = await run(input(), other, bytes);
        expect(answer).toMatchObject(refused);
        expect(started).toBe(false);
        expect(loaded.length).toBeLessThanOrEqual(chunkStart(chunk));
        expect(loaded.equals(right.subarray(0, loaded.length))).toBe(true);
        // Those before it are on their way long before, or this would say nothing.
        if (chunk > 1 && bytes < 100_000) expect(loaded.length).toBeGreaterThan(chunkStart(chunk - 1) - 100_000);
      },
    );

    test('no script runs', async () => {
      jest.mocked(scripts.runScript).mockClear();
      const { answer } = await run(input(), other, 50_000, 'script');
      expect(answer).toMatchObject(refused);
      expect(scripts.runScript).not.toHaveBeenCalled();
    });
  });

  test.each([
    ['one byte less', body.subarray(0, -1), chunkStart(last)],
    ['a chunk less', body.subarray(0, chunkStart(last)), chunkStart(last)],
    ['one byte more', Buffer.concat([body, Buffer.from(' ')]), body.length],
    [
      'a record more',
      Buffer.concat([body, Buffer.from('\n{"id":1,"at":"2026-09-01T10:00:00Z","s":"more"}')]),
      body.length,
    ],
    ['the other records behind it', Buffer.concat([body, altered(body, 0)]), body.length],
    ['a byte left out in the first chunk', Buffer.concat([body.subarray(0, 100), body.subarray(101)]), 0],
    ['nothing', Buffer.alloc(0), 0],
  ])('%s: right bytes at most, and no query', async (_name, other, most) => {
    for (const bytes of [50_000, 64 * 1024, 10_000_000]) {
      const { answer, loaded, started } = await run(input(), other, bytes);
      expect(answer).toMatchObject(refused);
      expect(started).toBe(false);
      expect(loaded.length).toBeLessThanOrEqual(most);
      expect(loaded.equals(right.subarray(0, loaded.length))).toBe(true);
    }
  });

  test.each([
    ['without digests of its chunks', null],
    ['with none at all', undefined],
  ])('%s, nothing is loaded before the digest of the whole', async (_name, digests) => {
    const { digests: _digests, ...rest } = input();
    const old: EngineInput = digests === undefined ? rest : { ...rest, digests };
    for (const other of [altered(body, chunkStart(last)), body.subarray(0, -1), Buffer.concat([body, body])]) {
      const { answer, loaded, started } = await run(old, other, 50_000);
      expect(answer).toMatchObject(refused);
      expect({ loaded: loaded.length, started }).toEqual({ loaded: 0, started: false });
    }
    const { answer, loaded } = await run(old, body, 50_000);
    expect(answer).toMatchObject({ rows: [[String(records.length), expect.any(String)]] });
    expect(loaded.toString('utf8').trimEnd().split('\n')).toHaveLength(records.length);
  });
});

test.each([
  ['of another body', (digests: Buffer) => Buffer.from(digests.map((byte) => byte ^ 1))],
  ['one less', (digests: Buffer) => digests.subarray(0, -32)],
  ['one more', (digests: Buffer) => Buffer.concat([digests, digests.subarray(0, 32)])],
])('digests %s start no query, though the whole is right', async (_, change) => {
  const input = engine.input('data', list);
  const digests = change(Buffer.from(input.digests ?? '', 'base64')).toString('base64');
  const { answer, started } = await run({ ...input, digests }, list, 50_000);
  expect(answer).toMatchObject(refused);
  expect(started).toBe(false);
});
