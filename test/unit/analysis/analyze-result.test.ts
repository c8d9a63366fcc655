import { analyzeResult } from '../../../core/analysis/analyze-result.ts';
import type { AnalysisEngine, EngineAnswer, EngineJob } from '../../../core/analysis/engine.ts';
import { download } from '../../../core/download/download.ts';
import { readResult } from '../../../core/read/read-result.ts';
import { ownerKey } from '../../../core/reference/owner-key.ts';
import { parseReference } from '../../../core/reference/reference.ts';
import type { Run } from '../../../core/run/run.ts';
import { chunkCount } from '../../../core/scan/chunk-schedule.ts';
import { keepResult } from '../../../core/store/keep-result.ts';
import { type ToolDefinition, toolCatalogue } from '../../../core/tool/tool-definition.ts';
import { rowsText, rowsTool, run, runWorld, success } from '../../fakes/run-world.ts';

const otherTool: ToolDefinition = { ...rowsTool, name: 'salaries', roles: ['hr'] };

/** Records what it was asked: an empty list is the proof that no engine learnt of anything. */
class RecordingEngine implements AnalysisEngine {
  readonly jobs: EngineJob[] = [];
  answer: EngineAnswer = {
    outcome: 'table',
    columns: [
      { name: 'region', type: 'VARCHAR' },
      { name: 'n', type: 'BIGINT' },
    ],
    rows: [['"eu"', '12345678901234567890']],
    rowCount: 1,
    inputs: [{ name: 'data', records: 500, bytes: 10, columns: [{ name: 'id', type: 'BIGINT' }] }],
    chart: null,
  };

  async run(job: EngineJob): Promise<EngineAnswer> {
    this.jobs.push(job);
    return this.answer;
  }
}

async function analysisWorld(options: { readonly roles?: readonly string[]; readonly until?: string } = {}) {
  const world = await runWorld({ tools: [rowsTool, otherTool] });
  const engine = new RecordingEngine();
  const held = { roles: options.roles ?? ['ops', 'hr'] };
  const signed: string[] = [];
  const keep = async (by: Run, tool: ToolDefinition, resultId: string, until = '2026-12-20T00:00:00.000Z') => {
    const request = { turn: 1, index: 0, input: {}, callDigest: resultId, supersedes: null } as const;
    await keepResult(
      { ...request, run: by, tool, result: success({ text: rowsText(500) }), resultId, availableUntil: until },
      world,
    );
    return `${by.session}/${resultId}`;
  };
  const ports = {
    ...world,
    engine,
    roles: { rolesOf: async () => held.roles },
    signedUrl: async ({ id }: { id: string }) => {
      signed.push(id);
      return `https://bucket.example/${id}`;
    },
    limits: { deadlineMs: 1_000, maxOutputBytes: 100_000 },
  };
  const analyze = (input: Record<string, unknown>, by: Partial<Run> = {}, index = 3) =>
    analyzeResult({ ...run, ...by }, { turn: 2, index }, input, ports);
  return { world, engine, held, signed, keep, ports, analyze };
}

const id = (digit: string) => digit.repeat(32);

test('a query over a granted result: the answer, exact, with the coverage of its input', async () => {
  const { keep, analyze, engine } = await analysisWorld();
  const ref = await keep(run, rowsTool, id('1'));
  const { text, delivered } = await analyze({ inputs: { data: ref }, sql: 'SELECT 1' });
  expect(engine.jobs).toHaveLength(1);
  expect(engine.jobs[0]?.inputs[0]).toMatchObject({ name: 'data', url: `https://bucket.example/${id('1')}` });
  expect(engine.jobs[0]?.call).toEqual({ runId: run.runId, session: run.session, turn: 2, index: 3 });
  expect(text).toContain('"rows":[["eu",12345678901234567890]],"row_count":1,"rows_shown":1');
  expect(JSON.parse(text).inputs.data).toMatchObject({
    ref,
    coverage: { loaded: 500, total: 500, selection_complete: true, input_complete: true, reasons: [] },
  });
  expect(delivered).toMatchObject({ kind: 'analysis', refs: [ref], wholeInput: true, kept: [] });
});

test('an engine is told the digests of all chunks of its inputs, as the commit record has them', async () => {
  const { keep, analyze, engine, world } = await analysisWorld();
  const ref = await keep(run, rowsTool, id('1'));
  await analyze({ inputs: { data: ref }, sql: 'SELECT 1' });
  const index = await world.store.readIndex({ owner: run.owner, ...parseReference(ref) });
  expect(index?.chunks.digests.length).toBe(32 * chunkCount(index?.bytes ?? 0));
  const told = Buffer.from(engine.jobs[0]?.inputs[0]?.digests ?? '', 'base64');
  expect(told.equals(index?.chunks.digests ?? new Uint8Array(1))).toBe(true);
});

test('what an engine did not take in is missing in the coverage', async () => {
  const { keep, analyze, engine } = await analysisWorld();
  engine.answer = {
    ...engine.answer,
    inputs: [{ name: 'data', records: 499, bytes: 10, columns: [] }],
  } as EngineAnswer;
  const ref = await keep(run, rowsTool, id('1'));
  const { text, delivered } = await analyze({ inputs: { data: ref }, sql: 'SELECT 1' });
  const coverage = { loaded: 499, total: 500, input_complete: false };
  expect(JSON.parse(text).inputs.data).toMatchObject({ coverage });
  expect(delivered).toMatchObject({ coverage, wholeInput: false });
});

const claim = '"row_count":1,"inputs":{"data":{"coverage":{"input_complete":true}}}';
test.each<[string, Partial<EngineAnswer>]>([
  ['a cell that closes its row', { rows: [['"eu"', `1]],${claim},"x":[[1`]] }],
  ['a cell of two values', { rows: [['"eu"', '1,2']] }],
  ['a cell that is no value', { rows: [['"eu"', 'NaN']] }],
  ['an empty cell', { rows: [['"eu"', '']] }],
  ['a row of another width', { rows: [['"eu"']] }],
  ['fewer rows than there are', { rowCount: 0 }],
  ['a value that says more', { outcome: 'value', text: `1,${claim}` } as Partial<EngineAnswer>],
  ['a list that says more', { outcome: 'value', text: `[1],${claim}` } as Partial<EngineAnswer>],
  ['a value that is none', { outcome: 'value', text: '' } as Partial<EngineAnswer>],
])('%s: what an engine says is no part of the answer’s own words, and nothing of it is kept', async (_, said) => {
  const { keep, analyze, engine, world } = await analysisWorld();
  engine.answer = { ...engine.answer, ...said } as EngineAnswer;
  const ref = await keep(run, rowsTool, id('1'));
  const stored = world.catalogue.entries.size;
  await expect(analyze({ inputs: { data: ref }, sql: 'SELECT 1', keep: true })).rejects.toMatchObject({
    code: 'AnalysisFailed',
  });
  expect(world.catalogue.entries.size).toBe(stored);
});

describe('what never reaches an engine', () => {
  const cases: readonly (readonly [
    string,
    (world: Awaited<ReturnType<typeof analysisWorld>>) => Promise<unknown>,
    string,
  ])[] = [
    [
      'a reference of nobody',
      ({ analyze }) => analyze({ inputs: { data: `${run.session}/${id('9')}` }, sql: 'SELECT 1' }),
      'NotFound',
    ],
    [
      'another owner’s',
      async ({ keep, analyze }) =>
        analyze({
          inputs: { data: await keep({ ...run, owner: ownerKey('bob') }, rowsTool, id('2')) },
          sql: 'SELECT 1',
        }),
      'NotFound',
    ],
    [
      'another session’s',
      async ({ keep, analyze }) =>
        analyze(
          { inputs: { data: await keep(run, rowsTool, id('3')) }, sql: 'SELECT 1' },
          { runId: id('e'), session: id('c') },
        ),
      'NotFound',
    ],
    [
      'one that is closed to the run’s roles',
      async ({ keep, analyze }) =>
        analyze({
          inputs: { data: await keep({ ...run, runId: id('d'), roles: ['hr'] }, otherTool, id('4')) },
          sql: 'SELECT 1',
        }),
      'NotFound',
    ],
    [
      'an expired one',
      async ({ keep, analyze }) =>
        analyze({ inputs: { data: await keep(run, rowsTool, id('5'), '2026-11-30T11:59:59.000Z') }, sql: 'SELECT 1' }),
      'Expired',
    ],
    [
      'a good one beside a bad one',
      async ({ keep, analyze }) =>
        analyze({ inputs: { a: await keep(run, rowsTool, id('6')), b: `${run.session}/${id('9')}` }, sql: 'SELECT 1' }),
      'NotFound',
    ],
    [
      'no reference at all',
      ({ analyze }) => analyze({ inputs: { data: '../../etc/passwd' }, sql: 'SELECT 1' }),
      'BadReference',
    ],
    ['no inputs', ({ analyze }) => analyze({ inputs: {}, sql: 'SELECT 1' }), 'InvalidInput'],
    [
      'sql and script',
      async ({ keep, analyze }) =>
        analyze({ inputs: { data: await keep(run, rowsTool, id('7')) }, sql: 'SELECT 1', script: 'return 1' }),
      'InvalidInput',
    ],
    [
      'an argument that nobody knows',
      async ({ keep, analyze }) =>
        analyze({ inputs: { data: await keep(run, rowsTool, id('7')) }, sql: 'SELECT 1', owner: 'bob' }),
      'InvalidInput',
    ],
    [
      'a chart that says more than it may',
      async ({ keep, analyze }) =>
        analyze({
          inputs: { data: await keep(run, rowsTool, id('7')) },
          chart: { type: 'bar', x: 'a', y: 'b', data: { url: 'file:///etc/passwd' } },
        }),
      'InvalidInput',
    ],
    [
      'one whose tool’s role was taken away',
      async ({ keep, analyze, held }) => {
        const ref = await keep(run, rowsTool, id('8'));
        held.roles = ['hr'];
        return analyze({ inputs: { data: ref }, sql: 'SELECT 1' });
      },
      'RoleRevoked',
    ],
    [
      'anything while roles cannot be looked up',
      async (world) => {
        const ref = await world.keep(run, rowsTool, id('8'));
        world.ports.roles.rolesOf = async () => {
          throw new Error('down');
        };
        return world.analyze({ inputs: { data: ref }, sql: 'SELECT 1' });
      },
      'RolesUnavailable',
    ],
  ];
  test.each(cases)('%s', async (_, attempt, code) => {
    const world = await analysisWorld();
    await expect(attempt(world)).rejects.toMatchObject({ code });
    expect(world.engine.jobs).toEqual([]);
    expect(world.signed).toEqual([]);
  });
});

test('an event again is answered from the record: no engine, no store', async () => {
  const { keep, analyze, engine, world } = await analysisWorld();
  const ref = await keep(run, rowsTool, id('1'));
  const first = await analyze({ inputs: { data: ref }, sql: 'SELECT 1', keep: true });
  const stored = world.catalogue.entries.size;
  expect(await analyze({ inputs: { data: ref }, sql: 'SELECT 1', keep: true })).toEqual(first);
  expect(engine.jobs).toHaveLength(1);
  expect(world.catalogue.entries.size).toBe(stored);
});

describe('a kept answer and a chart', () => {
  const chart = {
    svg: '<svg xmlns="http://www.w3.org/2000/svg"/>',
    png: Buffer.from('\x89PNG', 'latin1').toString('base64'),
    marks: 1,
    altText: 'bar chart',
  };

  async function kept() {
    const all = await analysisWorld();
    const a = await all.keep(run, rowsTool, id('1'), '2026-12-20T00:00:00.000Z');
    const b = await all.keep({ ...run, roles: ['hr'] }, otherTool, id('2'), '2026-12-10T00:00:00.000Z');
    all.engine.answer = { ...all.engine.answer, chart } as EngineAnswer;
    const { text, delivered } = await all.analyze(
      { inputs: { a, b }, sql: 'SELECT 1', keep: true, chart: { type: 'bar', x: 'region', y: 'n' } },
      { roles: ['ops', 'hr'] },
    );
    return { ...all, a, b, delivered, answer: JSON.parse(text) };
  }

  test('are results of their own, with the gates of all sources and the earliest date', async () => {
    const { answer, a, b, world, delivered } = await kept();
    expect(delivered).toMatchObject({ kept: [answer.kept.ref, answer.chart.ref] });
    for (const ref of [answer.kept.ref, answer.chart.ref]) {
      const entry = await world.catalogue.find(run.owner, ref);
      expect(entry).toMatchObject({
        gates: ['rows', 'salaries'],
        derivedFrom: [a, b],
        availableUntil: '2026-12-10T00:00:00.000Z',
      });
    }
    // Bytes that are no text are no loss of a picture.
    const [session = '', id = ''] = answer.chart.ref.split('/');
    const index = await world.store.readIndex({ owner: run.owner, session, id });
    expect(index).toMatchObject({ pictureType: 'image/png', parseLoss: null });
    expect(answer.kept.download_url).toBe(`https://check.example/results/${answer.kept.ref}`);
    const whole = await readResult(run, { ref: answer.kept.ref }, world);
    expect(whole.text).toContain('{"region":"eu","n":12345678901234567890}');
  });

  test('are refused with their sources’ role: the analysis of them, and the download', async () => {
    const { answer, analyze, held, engine, world } = await kept();
    held.roles = ['ops'];
    const before = engine.jobs.length;
    for (const ref of [answer.kept.ref, answer.chart.ref]) {
      await expect(analyze({ inputs: { data: ref }, sql: 'SELECT 1' }, {}, 4)).rejects.toMatchObject({
        code: 'RoleRevoked',
      });
      const [session = '', result = ''] = ref.split('/');
      const identity = { owner: run.owner, subject: 'ada', username: 'ada', issuedAt: 0, claimedGroups: [] };
      const objects = {
        look: async () => {
          const head = await world.store.headBody({ owner: run.owner, session, id: result });
          return (
            head && {
              bytes: head.bytes,
              contentType: head.metadata.contentType,
              tools: head.metadata.tools,
              availableUntil: head.metadata.availableUntil,
            }
          );
        },
        signedUrl: async () => 'https://bucket.example/signed',
      };
      const ports = {
        objects,
        roles: { rolesOf: async () => held.roles },
        tools: toolCatalogue([rowsTool, otherTool]),
        telemetry: world.telemetry,
        clock: world.clock,
        urlSeconds: 60,
      };
      await expect(download(identity, { kind: 'result', session, id: result }, ports)).rejects.toMatchObject({
        code: 'RoleRevoked',
      });
      held.roles = ['ops', 'hr'];
      expect(await download(identity, { kind: 'result', session, id: result }, ports)).toContain('signed');
      held.roles = ['ops'];
    }
    expect(engine.jobs.length).toBe(before);
  });

  test('an answer that was kept is an input like any other, beside its own source', async () => {
    const { answer, analyze, a, engine, world } = await kept();
    const inputs = { first: answer.kept.ref, again: a };
    const roles = ['ops', 'hr'];
    const { text } = await analyze({ inputs, sql: 'SELECT 1', keep: true }, { roles }, 5);
    expect(engine.jobs.at(-1)?.inputs).toMatchObject([
      { name: 'first', kind: 'json', recordStart: 1 },
      { name: 'again', kind: 'json', recordStart: 1 },
    ]);
    const entry = await world.catalogue.find(run.owner, JSON.parse(text).kept.ref);
    expect(entry).toMatchObject({
      gates: ['rows', 'salaries'],
      derivedFrom: [answer.kept.ref, a],
      availableUntil: '2026-12-10T00:00:00.000Z',
    });
  });

  test('no row at all is kept as a list of none', async () => {
    const { keep, analyze, engine, world } = await analysisWorld();
    engine.answer = { ...engine.answer, rows: [], rowCount: 0 } as EngineAnswer;
    const ref = await keep(run, rowsTool, id('1'));
    const answer = JSON.parse((await analyze({ inputs: { data: ref }, sql: 'SELECT 1', keep: true })).text);
    expect(answer).toMatchObject({ rows: [], row_count: 0, rows_shown: 0, kept: { records: 0 } });
    const read = JSON.parse((await readResult(run, { ref: answer.kept.ref }, world)).text);
    expect(read).toMatchObject({ data: [], coverage: { total: 0, selection_complete: true } });
  });

  test('a part is never kept as if it were the whole', async () => {
    const { keep, analyze, engine } = await analysisWorld();
    engine.answer = { ...engine.answer, rowCount: 2 } as EngineAnswer;
    const ref = await keep(run, rowsTool, id('1'));
    await expect(analyze({ inputs: { data: ref }, sql: 'SELECT 1', keep: true })).rejects.toMatchObject({
      code: 'AnalysisLimit',
    });
  });
});

test.each([1_024, 4_096, 16_384])('the answer stays within %i bytes and says how much is missing', async (maxBytes) => {
  const { keep, engine, ports } = await analysisWorld();
  const ref = await keep(run, rowsTool, id('1'));
  const rows = Array.from({ length: 2_000 }, (_, i) => [`"region ${i} äöü"`, String(i)]);
  engine.answer = { ...engine.answer, rows, rowCount: 5_000 } as EngineAnswer;
  const settings = { ...ports.settings, analysis: { ...ports.settings.analysis, maxBytes } };
  const { text } = await analyzeResult(
    run,
    { turn: 2, index: 9 },
    { inputs: { data: ref }, sql: 'SELECT 1' },
    { ...ports, settings },
  );
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
  const answer = JSON.parse(text);
  expect(answer.rows).toHaveLength(answer.rows_shown);
  expect(answer.rows_shown).toBeGreaterThan(0);
  expect(answer.note).toContain(`${5_000 - answer.rows_shown} of 5000 rows`);
});

test('failures of the engine keep their codes', async () => {
  const { keep, analyze, engine } = await analysisWorld();
  const ref = await keep(run, rowsTool, id('1'));
  engine.answer = { outcome: 'error', code: 'AnalysisLimit', message: 'sql: it was ended after 1000 ms' };
  await expect(analyze({ inputs: { data: ref }, sql: 'SELECT 1' })).rejects.toMatchObject({
    code: 'AnalysisLimit',
    retryable: false,
  });
});
