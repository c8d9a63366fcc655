import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { EngineAnswer, EngineFailure, EngineJob, LoadedInput } from '../../core/analysis/engine.ts';
import { UnevenRecords } from '../../core/analysis/even-records.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import { type DrawnChart, drawChart } from './draw-chart.ts';
import { type FetchedInput, fetchInput, type SliceSink } from './fetch-input.ts';
import { handOver } from './hand-over.ts';
import type { BodyReader } from './read-body.ts';
import { RowSpool, type SpooledFile } from './row-spool.ts';
import { emptyScratch, withScratch } from './scratch.ts';
import { runScript } from './script-runner.ts';
import { runSql, startSql } from './sql-runner.ts';
import { type OutputUploader, uploadOutput } from './upload-output.ts';

/** Where the engine runs: its programs, its scratch disk, and how much of the machine it may use. */
export interface EngineHost {
  /** Folder of `sql-child.cjs`, `script-worker.mjs` and `chart-child.mjs`. */
  readonly programs: string;
  readonly scratch: string;
  readonly memoryMiB: number;
  readonly threads: number;
  /** How stored copies are read. Default: from their addresses by HTTP. */
  readonly read?: BodyReader;
  /** Bytes of records that are handed over together while others are fetched. Default: 8 MiB. */
  readonly sliceBytes?: number;
  /** How outputs are left where they may be. Default: at their signed addresses by HTTP. */
  readonly upload?: OutputUploader;
}

export interface PreparedInput extends FetchedInput {
  readonly name: string;
  readonly bytes: number;
  /** Of a table of text: its cells may stand for numbers. */
  readonly header: readonly string[] | null;
}

/** Longest wait for the stored copies, read twice or once, in milliseconds. */
const fetchMs = 40_000;

/** One job from input to answer. Whatever a program does, the answer is a value or a failure; nothing is left behind. */
export async function runJob(job: EngineJob, host: EngineHost): Promise<EngineAnswer> {
  try {
    return await withScratch(host.scratch, async (folder) => {
      const { answer, left } = await (job.program.kind === 'sql' ? sql : script)(job, folder, host);
      if (answer.outcome === 'error') return answer;
      // The picture before any upload: should it fail, nothing was left anywhere.
      const drawn = job.chart === null ? null : await chartOf(job, answer, host);
      const { upload = uploadOutput } = host;
      const uploaded = left === null || !job.uploads?.answer ? null : await upload('keep', left, job.uploads.answer);
      return { ...answer, uploaded, chart: drawn && (await handOver(drawn, job.uploads ?? null, upload)) };
    });
  } catch (error) {
    if (!(error instanceof ClaimcheckError)) throw error;
    const code = error.code === 'StorageUnavailable' || error.code === 'AnalysisLimit' ? error.code : 'AnalysisFailed';
    return { outcome: 'error', code, message: error.message };
  }
}

/** `sinkOf`: takes the slices of an input as they come; null for one file each. */
async function prepare(
  job: EngineJob,
  folder: string,
  { read, sliceBytes }: EngineHost,
  signal: AbortSignal,
  sinkOf: ((name: string) => SliceSink) | null = null,
): Promise<readonly PreparedInput[]> {
  const wanted = job.inputs.reduce((sum, input) => sum + input.bytes, 0);
  const { bavail, bsize } = await statfs(folder);
  // A row of a table grows when its columns' names are written beside every cell.
  const free = Math.max(0, bavail * bsize - (job.uploads?.answer?.maxBytes ?? 0));
  const room = Math.floor(free / (job.inputs.some((input) => input.table !== null) ? 4 : 1.25));
  if (wanted > room) {
    throw new ClaimcheckError('AnalysisLimit', `inputs: ${wanted} bytes, at most ${room} can be analysed at once`);
  }
  const prepared: PreparedInput[] = [];
  for (const [at, input] of job.inputs.entries()) {
    const file = path.join(folder, `input-${at}.ndjson`);
    const fetched = await fetchInput(input, file, signal, sinkOf?.(input.name), read, sliceBytes);
    prepared.push({ ...fetched, name: input.name, bytes: input.bytes, header: input.table?.header ?? null });
  }
  return prepared;
}

/** `left`: the whole answer, where it is to be kept and is larger than what is handed over. */
interface Computed {
  readonly answer: EngineAnswer;
  readonly left: SpooledFile | Uint8Array | null;
}

async function sql(job: EngineJob, folder: string, host: EngineHost): Promise<Computed> {
  const signal = AbortSignal.timeout(fetchMs);
  const until = { ms: 0 };
  try {
    return await sqlOnce(job, folder, host, signal, until);
  } catch (error) {
    if (!(error instanceof UnevenRecords)) throw error;
    await emptyScratch(folder);
    // Both together within the one deadline.
    const left = until.ms === 0 ? job.limits.deadlineMs : until.ms - Date.now();
    const limits = { ...job.limits, deadlineMs: Math.max(1_000, left) };
    return sqlOnce({ ...job, limits }, folder, host, signal, null);
  }
}

/**
 * `until`: is told when the query's time will be over; then records are loaded while others are fetched, where their
 * columns are known.
 */
async function sqlOnce(
  job: EngineJob,
  folder: string,
  host: EngineHost,
  signal: AbortSignal,
  until: { ms: number } | null,
): Promise<Computed> {
  const ahead = until !== null;
  const keep = job.uploads?.answer ?? null;
  const spool = keep && new RowSpool(path.join(folder, 'kept.ndjson'), keep.maxBytes);
  const started = startSql(job, host, ahead, spool);
  try {
    const inputs = await prepare(job, folder, host, signal, ahead ? started.sink : null);
    if (until !== null) until.ms = Date.now() + job.limits.deadlineMs;
    const rows = await runSql(job, inputs, host, started, spool);
    const answer = sqlAnswer(rows, inputs);
    const whole = 'outcome' in rows || rows.rows.length === rows.rowCount;
    return { answer, left: whole || !rows.kept || spool === null ? null : await spool.whole() };
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

async function script(job: EngineJob, folder: string, host: EngineHost): Promise<Computed> {
  const inputs = await prepare(job, folder, host, AbortSignal.timeout(fetchMs));
  const { maxOutputBytes } = job.limits;
  const answer = await runScript(
    path.join(host.programs, 'script-worker.mjs'),
    {
      inputs: inputs.map(({ name, files }) => ({ name, file: files[0] ?? '' })),
      script: job.program.text,
      maxOutputBytes: Math.max(maxOutputBytes, job.uploads?.answer?.maxBytes ?? 0),
      maxShownBytes: maxOutputBytes,
      memoryMiB: 64,
    },
    job.limits.deadlineMs,
  );
  if ('outcome' in answer) return { answer, left: null };
  const loaded = inputs.map(({ name, records, bytes }): LoadedInput => ({ name, records, bytes, columns: [] }));
  const whole = Buffer.from(answer.text, 'utf8');
  const value = { outcome: 'value', inputs: loaded, chart: null } as const;
  if (whole.length <= maxOutputBytes) return { answer: { ...value, text: answer.text }, left: null };
  const { items } = answer;
  const cut = { bytes: whole.length, items: items?.count ?? null };
  return { answer: { ...value, text: items?.shown ?? 'null', cut }, left: whole };
}

async function chartOf(
  job: EngineJob,
  answer: Exclude<EngineAnswer, EngineFailure>,
  host: EngineHost,
): Promise<DrawnChart> {
  if (job.chart === null) throw new ClaimcheckError('AnalysisFailed', 'chart: none was asked for');
  if (answer.outcome === 'table') {
    if (answer.rows.length < answer.rowCount) {
      throw new ClaimcheckError('AnalysisLimit', `chart: ${answer.rowCount} rows are too many to draw; group them`);
    }
    const rows = answer.rows.map((row) => row.map((cell) => JSON.parse(cell) as unknown));
    return drawChart(job.chart, answer.columns, rows, host, job.uploads?.picture?.maxBytes);
  }
  if (answer.cut != null) {
    throw new ClaimcheckError('AnalysisLimit', `chart: ${answer.cut.bytes} bytes are too much to draw; group them`);
  }
  const { columns, rows } = tableOf(JSON.parse(answer.text));
  return drawChart(job.chart, columns, rows, host, job.uploads?.picture?.maxBytes);
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
