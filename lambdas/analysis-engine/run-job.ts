import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type {
  EngineAnswer,
  EngineFailure,
  EngineInput,
  EngineJob,
  LoadedInput,
  RenderedChart,
} from '../../core/analysis/engine.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import { drawChart } from './draw-chart.ts';
import { fetchInput } from './fetch-input.ts';
import { withScratch } from './scratch.ts';
import { runScript } from './script-runner.ts';
import { runSql, startSql } from './sql-runner.ts';

/** Where the engine runs: its programs, its scratch disk, and how much of the machine it may use. */
export interface EngineHost {
  /** Folder of `sql-child.mjs`, `script-worker.mjs` and `chart-child.mjs`. */
  readonly programs: string;
  readonly scratch: string;
  readonly memoryMiB: number;
  readonly threads: number;
}

export interface PreparedInput {
  readonly name: string;
  readonly file: string;
  readonly records: number;
  readonly bytes: number;
  /** Of a table of text: its cells may stand for numbers. */
  readonly header: readonly string[] | null;
  readonly types: EngineInput['types'] | null;
  /** Bytes of the longest line. */
  readonly longest: number;
}

/** Longest wait for the stored copies, in milliseconds. */
const fetchMs = 40_000;

/** One job from input to answer. Whatever a program does, the answer is a value or a failure; nothing is left behind. */
export async function runJob(job: EngineJob, host: EngineHost): Promise<EngineAnswer> {
  try {
    return await withScratch(host.scratch, async (folder) => {
      const answer = job.program.kind === 'sql' ? await sql(job, folder, host) : await script(job, folder, host);
      if (answer.outcome === 'error' || job.chart === null) return answer;
      return { ...answer, chart: await chartOf(job, answer, host) };
    });
  } catch (error) {
    if (!(error instanceof ClaimcheckError)) throw error;
    const code = error.code === 'StorageUnavailable' || error.code === 'AnalysisLimit' ? error.code : 'AnalysisFailed';
    return { outcome: 'error', code, message: error.message };
  }
}

async function prepare(job: EngineJob, folder: string): Promise<readonly PreparedInput[]> {
  const wanted = job.inputs.reduce((sum, input) => sum + input.bytes, 0);
  const { bavail, bsize } = await statfs(folder);
  // A row of a table grows when its columns' names are written beside every cell.
  const room = Math.floor((bavail * bsize) / (job.inputs.some((input) => input.table !== null) ? 4 : 1.25));
  if (wanted > room) {
    throw new ClaimcheckError('AnalysisLimit', `inputs: ${wanted} bytes, at most ${room} can be analysed at once`);
  }
  const signal = AbortSignal.timeout(fetchMs);
  const prepared: PreparedInput[] = [];
  for (const [at, input] of job.inputs.entries()) {
    const file = path.join(folder, `input-${at}.ndjson`);
    const { records, marked, longest } = await fetchInput(input, file, signal);
    prepared.push({
      name: input.name,
      file,
      records,
      bytes: input.bytes,
      header: input.table?.header ?? null,
      types: marked ? null : (input.types ?? null),
      longest,
    });
  }
  return prepared;
}

async function sql(job: EngineJob, folder: string, host: EngineHost): Promise<EngineAnswer> {
  // It has no file and no query yet: it only loads its engine meanwhile.
  const started = startSql(job, host);
  try {
    const inputs = await prepare(job, folder);
    return sqlAnswer(await runSql(job, inputs, host, started), inputs);
  } finally {
    started.end();
  }
}

function sqlAnswer(answer: Awaited<ReturnType<typeof runSql>>, inputs: readonly PreparedInput[]): EngineAnswer {
  if ('outcome' in answer) return answer;
  const { columns, rows, rowCount, tables } = answer;
  const loaded = inputs.map((input): LoadedInput => {
    const table = tables.find(({ name }) => name === input.name);
    if (table !== undefined && table.records !== input.records) {
      throw new ClaimcheckError(
        'AnalysisFailed',
        `${input.name}: ${table.records} of ${input.records} records could be taken into a table; use a script`,
      );
    }
    return { name: input.name, records: input.records, bytes: input.bytes, columns: table?.columns ?? [] };
  });
  return { outcome: 'table', columns, rows, rowCount, inputs: loaded, chart: null };
}

async function script(job: EngineJob, folder: string, host: EngineHost): Promise<EngineAnswer> {
  const inputs = await prepare(job, folder);
  const answer = await runScript(
    path.join(host.programs, 'script-worker.mjs'),
    {
      inputs: inputs.map(({ name, file }) => ({ name, file })),
      script: job.program.text,
      maxOutputBytes: job.limits.maxOutputBytes,
      memoryMiB: 64,
    },
    job.limits.deadlineMs,
  );
  if ('outcome' in answer) return answer;
  const loaded = inputs.map(({ name, records, bytes }): LoadedInput => ({ name, records, bytes, columns: [] }));
  return { outcome: 'value', text: answer.text, inputs: loaded, chart: null };
}

async function chartOf(
  job: EngineJob,
  answer: Exclude<EngineAnswer, EngineFailure>,
  host: EngineHost,
): Promise<RenderedChart> {
  if (job.chart === null) throw new ClaimcheckError('AnalysisFailed', 'chart: none was asked for');
  if (answer.outcome === 'table') {
    if (answer.rows.length < answer.rowCount) {
      throw new ClaimcheckError('AnalysisLimit', `chart: ${answer.rowCount} rows are too many to draw; group them`);
    }
    const rows = answer.rows.map((row) => row.map((cell) => JSON.parse(cell) as unknown));
    return drawChart(job.chart, answer.columns, rows, host);
  }
  const { columns, rows } = tableOf(JSON.parse(answer.text));
  return drawChart(job.chart, columns, rows, host);
}

/** A script draws what it returns as a list of objects. */
function tableOf(value: unknown) {
  const records = Array.isArray(value) ? value : [];
  const isRecord = (each: unknown): each is Readonly<Record<string, unknown>> =>
    typeof each === 'object' && each !== null && !Array.isArray(each);
  if (records.length === 0 || !records.every(isRecord)) {
    throw new ClaimcheckError('AnalysisFailed', 'chart: the script has to return a list of objects');
  }
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return {
    columns: names.map((name) => ({ name, type: 'JSON' })),
    rows: records.map((record) => names.map((name) => (Object.hasOwn(record, name) ? record[name] : null))),
  };
}
