import { createHash } from 'node:crypto';
import { analyzeResult } from '../../../core/analysis/analyze-result.ts';
import type { AnalysisEngine, EngineAnswer, EngineJob, UploadedOutput } from '../../../core/analysis/engine.ts';
import { listResults } from '../../../core/catalogue/list-results.ts';
import { readResult } from '../../../core/read/read-result.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { keepResult } from '../../../core/store/keep-result.ts';
import { MemoryStaging } from '../../fakes/memory-staging.ts';
import { rowsText, rowsTool, run, runWorld, success } from '../../fakes/run-world.ts';

const source = '1'.repeat(32);
const ref = `${run.session}/${source}`;
const until = '2026-12-10T00:00:00.000Z';
const lines = Array.from({ length: 20_000 }, (_, n) => `{"n":${n},"big":${n + 1}12345678901234567890}\n`).join('');
const maxBytes = 2 * 1024 * 1024;
const input = { inputs: { data: ref }, sql: 'SELECT 1', keep: true };

/** An engine that leaves `text` where it may, and says of it what it likes. */
async function world(
  text: string | null,
  claim: (left: UploadedOutput, staging: MemoryStaging) => UploadedOutput | null = (left) => left,
  more: Partial<EngineAnswer> = {},
) {
  const settings = { ...defaultSettings, analysis: { ...defaultSettings.analysis, keepMaxBytes: maxBytes } };
  const made = await runWorld({ tools: [rowsTool], settings });
  const staging = new MemoryStaging();
  const jobs: EngineJob[] = [];
  const engine: AnalysisEngine = {
    run: async (job) => {
      jobs.push(job);
      const uploaded = text === null ? null : claim(staging.leave(job.uploads?.answer, text), staging);
      return {
        outcome: 'table',
        columns: [{ name: 'n', type: 'BIGINT' }],
        rows: [['0']],
        rowCount: 20_000,
        inputs: [{ name: 'data', records: 500, bytes: 10, columns: [] }],
        chart: null,
        uploaded,
        ...more,
      } as EngineAnswer;
    },
  };
  await keepResult(
    {
      ...{ turn: 1, index: 0, input: {}, callDigest: source, supersedes: null, run, tool: rowsTool },
      ...{ result: success({ text: rowsText(500) }), resultId: source, availableUntil: until },
    },
    made,
  );
  const ports = {
    ...made,
    engine,
    staging,
    roles: { rolesOf: async () => ['ops'] },
    signedUrl: async () => 'https://bucket.example/in',
    limits: { deadlineMs: 1_000, maxOutputBytes: 100_000 },
  };
  const before = made.catalogue.entries.size;
  return {
    ...{ made, staging, jobs, ports },
    analyze: (given: Record<string, unknown> = input) => analyzeResult(run, { turn: 2, index: 3 }, given, ports),
    /** Results that came to be by the analysis. */
    results: () => made.catalogue.entries.size - before,
  };
}

test('an answer that came by the store is a result like any other: whole, with gates, sources and the earliest date', async () => {
  const { analyze, made, jobs, staging } = await world(lines);
  const { text, delivered } = await analyze();
  const { kept, row_count } = JSON.parse(text);
  expect(row_count).toBe(20_000);
  expect(kept).toMatchObject({ bytes: lines.length, records: 20_000, derived_from: [ref], available_until: until });
  expect(delivered).toMatchObject({ kept: [kept.ref] });
  expect(await made.catalogue.find(run.owner, kept.ref)).toMatchObject({
    gates: ['rows'],
    kind: 'ndjson',
    derivedFrom: [ref],
    availableUntil: until,
    fileName: 'analysis.ndjson',
    sha256: createHash('sha256').update(lines).digest('hex'),
  });
  // The last row, digit by digit.
  const last = await readResult(run, { ref: kept.ref, offset: 19_999, limit: 1 }, made);
  expect(last.text).toContain('"big":2000012345678901234567890');
  // One exact place under the owner, of nobody's choosing, and only for what was asked for.
  expect(staging.signed).toEqual([expect.stringMatching(new RegExp(`^staging/${run.owner}/[0-9a-f]{32}$`))]);
  expect(jobs[0]?.uploads).toMatchObject({ answer: { maxBytes }, picture: null, drawing: null });
});

test('a single row is still a list of one', async () => {
  const { analyze, made } = await world('{"rows":[1,2,3]}\n', undefined, { rows: [], rowCount: 1 });
  const { kept } = JSON.parse((await analyze()).text);
  expect(await made.catalogue.find(run.owner, kept.ref)).toMatchObject({ kind: 'ndjson', records: 1 });
});

test('a value of a script is kept as it is, and the model learns how much of it there is', async () => {
  const value = JSON.stringify(Array.from({ length: 9_000 }, (_, n) => [n, 'x']));
  const { analyze, made } = await world(value, undefined, {
    outcome: 'value',
    text: '[[0,"x"],[1,"x"]]',
    cut: { bytes: value.length, items: 9_000 },
  } as never);
  const answer = JSON.parse((await analyze({ ...input, sql: undefined, script: 'return 1' })).text);
  expect(answer).toMatchObject({ row_count: 9_000, rows_shown: 2, kept: { bytes: value.length } });
  expect(answer.note).toContain('8998 of 9000');
  expect(await made.catalogue.find(run.owner, answer.kept.ref)).toMatchObject({ kind: 'json', records: 9_000 });
});

describe('a repeat after an answer that was lost before it was recorded', () => {
  const again = async (second: string) => {
    let text = lines;
    const { made, ports, results } = await world(lines);
    const engine: AnalysisEngine = {
      run: async (job) => {
        const answer = { outcome: 'table', columns: [], rows: [], rowCount: 20_000, inputs: [], chart: null } as const;
        return { ...answer, uploaded: ports.staging.leave(job.uploads?.answer, text) };
      },
    };
    let lost = true;
    const outcomes = {
      find: made.outcomes.find.bind(made.outcomes),
      list: made.outcomes.list.bind(made.outcomes),
      record: async <T>(runId: string, key: string, outcome: T) => {
        if (key.startsWith('analysis/') && lost) throw new Error('the connection broke');
        return made.outcomes.record(runId, key, outcome);
      },
    };
    const ask = () => analyzeResult(run, { turn: 2, index: 3 }, input, { ...ports, engine, outcomes });
    await expect(ask()).rejects.toThrow('the connection broke');
    lost = false;
    text = second;
    const answer = JSON.parse((await ask()).text);
    return { answer, results: results(), made };
  };

  test('makes no second result', async () => {
    const { answer, results } = await again(lines);
    expect([results, answer.kept.bytes, answer.kept_before]).toEqual([1, lines.length, undefined]);
  });
  test('says when what is kept is not what came out now', async () => {
    const { answer, results, made } = await again(lines.replace('{"n":0,', '{"n":7,'));
    expect(results).toBe(1);
    expect(answer.kept_before).toContain('otherwise than what is kept');
    const read = await readResult(run, { ref: answer.kept.ref, limit: 1 }, made);
    expect(read.text).toContain('"n":0');
  });
});

describe('what is no upload makes no result', () => {
  const wrong = 'f'.repeat(64);
  const lost = (left: UploadedOutput, staging: MemoryStaging) => {
    staging.objects.clear();
    return left;
  };
  test.each<[string, string | null, Parameters<typeof world>[1], string]>([
    ['nothing arrived', lines, lost, 'StorageUnavailable'],
    ['fewer bytes than were said', lines, (left) => ({ ...left, bytes: left.bytes + 1 }), 'StorageUnavailable'],
    ['other bytes than were said', lines, (left) => ({ ...left, sha256: wrong }), 'StorageUnavailable'],
    ['a row less than were counted', lines.slice(lines.indexOf('\n') + 1), undefined, 'StorageUnavailable'],
    ['a row that is none', lines.replace('{"n":7,', '{"n":7;'), undefined, 'StorageUnavailable'],
    ['more than may be kept', 'x'.repeat(maxBytes + 1), undefined, 'AnalysisLimit'],
    ['no upload of more rows than the answer holds', null, undefined, 'AnalysisLimit'],
  ])('%s', async (name, text, claim, code) => {
    const { analyze, made, results } = await world(text, claim);
    await expect(analyze()).rejects.toMatchObject({ code, message: expect.stringMatching(/^(keep|text): /) });
    expect(results()).toBe(0);
    // What the operator's alarm counts; bytes that are wrong are found while they are read, and told by the log.
    const counted = made.telemetry.counts.filter(({ metric }) => metric === 'StorageRefusal').length;
    expect(counted).toBe(/arrived|fewer/.test(name) ? 1 : 0);
    expect(made.outcomes.find(run.runId, 'analysis/2/3')).resolves.toBeUndefined();
    // Neither a body nor a commit record nor a grant but those of the source.
    expect([made.store.bodies.size, made.store.indexes.size]).toEqual([1, 1]);
  });

  test('an upload that nobody asked for', async () => {
    const { analyze, results } = await world(null, undefined, {
      uploaded: { bytes: 1, sha256: wrong },
      rows: [['0']],
      rowCount: 1,
    } as never);
    await expect(analyze()).rejects.toMatchObject({ code: 'StorageUnavailable' });
    expect(results()).toBe(0);
  });

  test('one that changes between the look and the reading', async () => {
    const { analyze, staging, results } = await world(lines);
    const look = staging.look.bind(staging);
    staging.look = async (place) => {
      const seen = await look(place);
      for (const key of staging.objects.keys()) staging.objects.set(key, Buffer.alloc(lines.length, 'y'));
      return seen;
    };
    await expect(analyze()).rejects.toMatchObject({ code: 'StorageUnavailable' });
    expect(results()).toBe(0);
  });

  test('an owner without room', async () => {
    const { ports, results } = await world(lines);
    const quota = { ...ports.settings.quota, ownerBytes: lines.length };
    await expect(
      analyzeResult(run, { turn: 2, index: 3 }, input, { ...ports, settings: { ...ports.settings, quota } }),
    ).rejects.toMatchObject({ code: 'QuotaExceeded' });
    const refused = ports.telemetry.counts.filter(({ metric }) => metric === 'QuotaRefused');
    expect(refused.map(({ reason }) => reason)).toEqual(['owner_bytes']);
    expect(results()).toBe(0);
  });
});

test('after a failure the same call succeeds, at a place of its own', async () => {
  const { analyze, staging, jobs, results } = await world(lines);
  const look = staging.look.bind(staging);
  staging.look = async () => undefined;
  await expect(analyze()).rejects.toMatchObject({ code: 'StorageUnavailable', retryable: true });
  staging.look = look;
  expect(JSON.parse((await analyze()).text).kept.records).toBe(20_000);
  expect(new Set(staging.signed).size).toBe(2);
  expect(jobs).toHaveLength(2);
  expect(results()).toBe(1);
});

test('nothing is signed for an answer that is neither kept nor drawn, and for Python', async () => {
  const { analyze, staging, jobs, ports } = await world(null, undefined, { rows: [['0']], rowCount: 1 } as never);
  await analyze({ inputs: { data: ref }, sql: 'SELECT 1' });
  await analyzeResult(
    run,
    { turn: 2, index: 4 },
    { inputs: { data: ref }, python: 'result = 1', keep: true },
    { ...ports, python: ports.engine },
  );
  expect(staging.signed).toEqual([]);
  expect(jobs.map(({ uploads }) => uploads)).toEqual([null, null]);
});

test('pictures that came by the store are stored as pictures', async () => {
  const { made, staging, ports } = await world(null);
  const [png, svg] = ['\u0089PNG not \u{1f5bc} really', '<svg xmlns="http://www.w3.org/2000/svg"/>'];
  const engine = {
    run: async (job: EngineJob): Promise<EngineAnswer> => ({
      outcome: 'table',
      columns: [{ name: 'n', type: 'BIGINT' }],
      rows: [['0']],
      rowCount: 1,
      inputs: [],
      chart: {
        png: staging.leave(job.uploads?.picture, png),
        svg: staging.leave(job.uploads?.drawing, svg),
        marks: 1,
        altText: 'a chart',
      },
    }),
  };
  const asked = { inputs: { data: ref }, sql: 'SELECT 1', chart: { type: 'bar', x: 'n', y: 'n' } };
  const { text } = await analyzeResult(run, { turn: 2, index: 5 }, asked, { ...ports, engine });
  const stored = made.store.bodies.get(`${run.owner}/${JSON.parse(text).chart.ref}`);
  expect(stored).toMatchObject({
    metadata: { contentType: 'image/png', fileName: 'chart.png', tools: ['rows'], availableUntil: until },
  });
  expect(stored?.content.toString('utf8')).toBe(png);
  expect([...made.store.bodies.values()].map(({ metadata }) => metadata.contentType)).toContain('image/svg+xml');
  // Nobody reads its bytes as lines, or computes over them.
  const drawn = JSON.parse(text).chart.ref;
  expect(await made.catalogue.find(run.owner, drawn)).toMatchObject({ pictureType: 'image/png' });
  const refused = { code: 'InvalidInput', message: expect.stringContaining('found a picture (image/png)') };
  await expect(readResult(run, { ref: drawn }, made)).rejects.toMatchObject(refused);
  await expect(
    analyzeResult(run, { turn: 2, index: 6 }, { inputs: { data: drawn }, sql: 'SELECT 1' }, { ...ports, engine }),
  ).rejects.toMatchObject(refused);
  const { results } = JSON.parse((await listResults(run, {}, { ...made, secret: Buffer.alloc(32) })).text);
  expect(results.find(({ ref: listed }: { ref: string }) => listed === drawn)).toMatchObject({
    ...{ kind: 'picture', picture_type: 'image/png', file_name: 'chart.png', bytes: Buffer.byteLength(png) },
  });
  expect(JSON.stringify(results)).not.toContain('"lines"');
});
