import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { agentCorePython } from '../../../aws/agentcore-python.ts';
import { analyzeResult } from '../../../core/analysis/analyze-result.ts';
import { offeredTools } from '../../../core/flow/offered-tools.ts';
import { readResult } from '../../../core/read/read-result.ts';
import { ownerKey } from '../../../core/reference/owner-key.ts';
import type { Run } from '../../../core/run/run.ts';
import { keepResult } from '../../../core/store/keep-result.ts';
import { offeringPython } from '../../../core/tool/builtin-analyze.ts';
import { tools } from '../../../tools/catalogue.ts';
import { FakeCodeInterpreter, interpreter } from '../../fakes/code-interpreter.ts';
import { rowsText, rowsTool, run, runWorld, success } from '../../fakes/run-world.ts';

const service = new FakeCodeInterpreter();
const folder = mkdtempSync(path.join(tmpdir(), 'claimcheck-python-'));

/** The program as the service would run it: by a real Python, with the files that were written into the session. */
function real(_mark: string, code: string) {
  for (const { body } of service.asked) {
    const { content = [] } = (body['arguments'] ?? {}) as { content?: { path: string; blob: string }[] };
    for (const file of content) writeFileSync(path.join(folder, file.path), Buffer.from(file.blob, 'base64'));
  }
  const { stdout, stderr, status } = spawnSync('python3', ['-c', code], { cwd: folder, encoding: 'utf8' });
  return { stdout, stderr, exitCode: status ?? 1 };
}

beforeAll(() => service.start());
beforeEach(() => {
  service.asked = [];
  service.fetched.length = 0;
  service.program = real;
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const id = '1'.repeat(32);
const ref = `${run.session}/${id}`;
const noEngine = {
  run: async () => {
    throw new Error('Python is not run here');
  },
};

async function world(until = '2026-12-20T00:00:00.000Z', by: Run = run) {
  const made = await runWorld({ tools: [rowsTool] });
  await keepResult(
    {
      ...{ turn: 1, index: 0, input: {}, callDigest: id, supersedes: null, tool: rowsTool, run: by },
      ...{ result: success({ text: rowsText(500) }), resultId: id, availableUntil: until },
    },
    made,
  );
  for (const { content } of made.store.bodies.values()) service.bodies.set('/stored', content);
  const held = { roles: ['ops'] };
  const ports = {
    ...made,
    engine: noEngine,
    python: agentCorePython(service.client(), interpreter),
    roles: { rolesOf: async () => held.roles },
    signedUrl: async () => `${service.address}/stored`,
    limits: { deadlineMs: 5_000, maxOutputBytes: 100_000 },
  };
  let index = 0;
  const analyze = (input: Record<string, unknown>) => {
    index += 1;
    return analyzeResult(run, { turn: 2, index }, { inputs: { data: ref }, ...input }, ports);
  };
  return { made, held, ports, analyze };
}

const summing = 'result = {"n": sum(1 for r in rows("data")), "last": [r["note"] for r in rows("data")][-1]}';

test('a program over every record: its result, its coverage, one session that is stopped', async () => {
  const { analyze } = await world();
  const answer = JSON.parse((await analyze({ python: summing })).text);
  expect(answer.result).toEqual({ n: 500, last: 'the last' });
  expect(answer.inputs.data).toMatchObject({ ref, coverage: { loaded: 500, total: 500, input_complete: true } });
  expect(service.operations()).toEqual(['sessions/start', 'writeFiles', 'executeCode', 'sessions/stop']);
});

test('whole numbers of any size are answered digit by digit, in a list too', async () => {
  const { analyze } = await world();
  const numbers = '[12345678901234567890,{"id":9007199254740993,"share":1.0}]';
  const listed = await analyze({ python: 'result = [12345678901234567890, {"id": 2**53 + 1, "share": 1.0}]' });
  expect(listed.text).toContain(`"rows":${numbers},"row_count":2`);
  const inside = await analyze({ python: 'result = {"all": [12345678901234567890, {"id": 2**53 + 1, "share": 1.0}]}' });
  expect(inside.text).toContain(`"result":{"all":${numbers}}`);
});

test('what is kept carries gate and date of its source', async () => {
  const { analyze, made } = await world();
  const { kept } = JSON.parse((await analyze({ python: 'result = list(rows("data"))', keep: true })).text);
  expect(await made.catalogue.find(run.owner, kept.ref)).toMatchObject({
    gates: ['rows'],
    derivedFrom: [ref],
    records: 500,
    availableUntil: '2026-12-20T00:00:00.000Z',
  });
  expect((await readResult(run, { ref: kept.ref, offset: 499, limit: 1 }, made)).text).toContain('the last');
});

test.each([
  ['an exception', 'x = 1\nresult = [r["nothing"] for r in rows("data")]', 'AnalysisFailed', /KeyError: 'nothing'/],
  ['no program at all', 'result = = 1', 'AnalysisFailed', /SyntaxError/],
  ['a result that is too large', 'result = "x" * 200000', 'AnalysisLimit', /200002 bytes, at most 100000/],
  ['a result that JSON has no word for', 'result = float("nan")', 'AnalysisFailed', /JSON/],
  [
    'a result that is nested too deep',
    'import sys\nsys.setrecursionlimit(9000)\nresult = []\nfor _ in range(300): result = [result]',
    'AnalysisFailed',
    /at most 200 lists and objects inside one another/,
  ],
  ['a chart of it', { chart: { type: 'bar', x: 'id', y: 'id' } }, 'InvalidInput', /chart/],
  ['two programs', { sql: 'SELECT 1' }, 'InvalidInput', /one program/],
])('%s', async (_, program, code, message) => {
  const { analyze } = await world();
  const input = typeof program === 'string' ? { python: program } : { python: 'result = 1', ...program };
  await expect(analyze(input)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

test('what may not be read starts no session and fetches nothing', async () => {
  const revoked = await world();
  revoked.held.roles = [];
  await expect(revoked.analyze({ python: summing })).rejects.toMatchObject({ code: 'RoleRevoked' });
  const expired = await world('2026-11-30T11:59:59.000Z');
  await expect(expired.analyze({ python: summing })).rejects.toMatchObject({ code: 'Expired' });
  const foreign = await world(undefined, { ...run, owner: ownerKey('bob') });
  await expect(foreign.analyze({ python: summing })).rejects.toMatchObject({ code: 'NotFound' });
  expect(service.asked).toEqual([]);
  expect(service.fetched).toEqual([]);
});

test('where Python is not set up there is no such argument', async () => {
  const { ports } = await world();
  const { python: _, ...without } = ports;
  await expect(
    analyzeResult(run, { turn: 2, index: 9 }, { inputs: { data: ref }, python: summing }, without),
  ).rejects.toMatchObject({ code: 'InvalidInput', message: 'python: there is no such argument' });
});

describe('the tool as the model is shown it', () => {
  const functions = { analyze_result: 'claimcheck-analyze-result', read_result: 'claimcheck-read-result' };
  const shown = (offered: boolean) => offeredTools(['ops'], offeringPython(tools, offered), functions);
  const properties = (offered: boolean) => {
    const tool = shown(offered).find(({ name }) => name === 'analyze_result');
    return { names: Object.keys(tool?.inputSchema['properties'] as object), description: tool?.description ?? '' };
  };

  test('has python where an interpreter is named, and not otherwise', () => {
    const [on, off] = [properties(true), properties(false)];
    expect(on.names).toEqual([...off.names, 'python']);
    expect(off.names).not.toContain('python');
    expect(on.description).toContain('python');
    expect(off.description).not.toMatch(/python/i);
  });

  test('everything else is as it was', () => {
    const others = (offered: boolean) => shown(offered).filter(({ name }) => name !== 'analyze_result');
    expect(others(true)).toEqual(others(false));
    expect(others(true)).toHaveLength(1);
  });
});
