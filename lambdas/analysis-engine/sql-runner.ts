import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cleanMessage } from '../../core/analysis/clean-message.ts';
import type { EngineFailure, EngineJob } from '../../core/analysis/engine.ts';
import { UnevenRecords } from '../../core/analysis/even-records.ts';
import type { SliceSink } from './fetch-input.ts';
import { type LimitedProcess, startLimited } from './limited-process.ts';
import { mendRecords } from './mend-records.ts';
import type { RowSpool } from './row-spool.ts';
import type { EngineHost, PreparedInput } from './run-job.ts';
import type { SqlAnswer, SqlMessage } from './sql-work.ts';

/** Beside the rows: names, types and escapes. */
const answerBytes = (job: EngineJob): number => 2 * job.limits.maxOutputBytes + 1024 * 1024;
/** Virtual memory of a process that has loaded Node and DuckDB but no data, in MiB. */
const emptyProcessMiB = 1_500;

const tooMuch = 'sql: it needed more memory than there is; group, filter or limit earlier, or use a script';

type SqlRows = Extract<SqlAnswer, { ok: true }>;
type SqlRefusal = Extract<SqlAnswer, { ok: false }>;

/** The process of a query, which loads its engine and the first records while the inputs are fetched. */
export interface SqlProcess {
  /** Takes the slices of one input, in order. */
  sink(table: string): SliceSink;
  /** Takes what has not come in slices and starts the query: every digest was found right. */
  run(inputs: readonly PreparedInput[]): Promise<SqlAnswer | EngineFailure>;
  end(): void;
}

/** `narrow`: leave out columns that the query does not name. Its rows go to `spool` where they are kept. */
export function startSql(job: EngineJob, host: EngineHost, narrow: boolean, spool: RowSpool | null): SqlProcess {
  const started = startLimited(
    path.join(host.programs, 'sql-child.cjs'),
    {
      addressSpaceKiB: (emptyProcessMiB + Math.floor(host.memoryMiB * 0.6)) * 1024,
      cpuSeconds: Math.ceil((job.limits.deadlineMs * host.threads) / 1_000) + 1,
      heapMiB: 192,
      deadlineMs: job.limits.deadlineMs,
      maxAnswerBytes: answerBytes(job),
    },
    [String(Math.floor(host.memoryMiB * 0.45)), String(host.threads)],
    spool === null ? undefined : (rows) => spool.take(rows),
  );
  const message = (content: SqlMessage): string => `${JSON.stringify(content)}\n`;
  started.send(
    message({
      kind: 'query',
      sql: job.program.text,
      tables: job.inputs.map(({ name }) => name),
      maxOutputBytes: job.limits.maxOutputBytes,
      keepBytes: spool?.maxBytes ?? null,
      narrow,
    }),
  );
  const sink =
    (table: string): SliceSink =>
    ({ file }, columns, longest) =>
      started.send(message({ kind: 'slice', table, file, columns, longest }));
  return {
    sink,
    run: async (inputs) => {
      for (const input of inputs) if (input.columns === null) started.send(message(wholeFile(input)));
      let removed: Promise<unknown> = Promise.resolve();
      const answer = await answerOf(started, message({ kind: 'start' }), job, (text) => {
        // Nobody reads the records again: they go while the process does.
        if (text.startsWith('{"ok":true')) removed = removeFiles(inputs);
      });
      await removed;
      return answer;
    },
    end: started.end,
  };
}

function wholeFile({ name, files, header, records, longest }: PreparedInput): SqlMessage {
  const empty = records === 0 ? (header ?? ['value']) : null;
  return { kind: 'file', table: name, file: files[0] ?? '', textCells: header !== null, empty, longest };
}

/**
 * What the first process answered, or what a second one does where that had a reason that a second one mends: types that
 * later records do not keep, records that no table takes as they are, columns that a misspelt query may have meant.
 * Throws `UnevenRecords` where records may have been told apart wrongly.
 */
export async function runSql(
  job: EngineJob,
  inputs: readonly PreparedInput[],
  host: EngineHost,
  started: SqlProcess,
  spool: RowSpool | null,
): Promise<SqlRows | EngineFailure> {
  const until = Date.now() + job.limits.deadlineMs;
  // All together within the one deadline.
  const again = async (prepared: readonly PreparedInput[]) => {
    const limits = { ...job.limits, deadlineMs: Math.max(1_000, until - Date.now()) };
    const process = startSql({ ...job, limits }, host, false, spool);
    for (const input of prepared) {
      const { name, columns, longest } = input;
      if (columns === null) continue;
      for (const file of input.files) process.sink(name)({ file, records: 0 }, columns, longest);
    }
    return process.run(prepared);
  };
  let answer = await started.run(inputs);
  let prepared = inputs;
  if ('stage' in answer && answer.stage === 'load' && inputs.some(({ columns }) => columns !== null)) {
    refuseUneven(answer, inputs);
    prepared = await Promise.all(inputs.map(inOneFile));
    answer = await again(prepared);
    // A value of another type may have come before the line that is none.
    if ('stage' in answer) refuseUneven(answer, inputs);
  }
  if ('stage' in answer && answer.stage === 'load' && mendable(answer)) {
    try {
      for (const { files } of prepared) for (const file of files) await mendRecords(file);
    } catch {
      return described(answer, prepared);
    }
    answer = await again(prepared);
  }
  // Loaded whole, all columns are there to be suggested.
  if ('stage' in answer && answer.narrow && /^sql: (Binder|Catalog) Error/.test(answer.message)) {
    answer = await again(prepared);
  }
  return 'stage' in answer ? described(answer, prepared) : answer;
}

/** Records that were told apart wrongly make a line that is no value: the body is to be read the long way. */
function refuseUneven({ stage, message }: SqlRefusal, inputs: readonly PreparedInput[]): void {
  if (stage === 'load' && /Malformed JSON/.test(message) && inputs.some(({ even }) => even)) {
    throw new UnevenRecords('a line is no value');
  }
}

function mendable({ message }: SqlRefusal): boolean {
  return /has duplicate key|surrogate in string/.test(message);
}

/** The slices of an input as one file, whose types are found by reading it. */
async function inOneFile(input: PreparedInput): Promise<PreparedInput> {
  const [first, ...others] = input.files;
  for (const file of others) {
    await pipeline(createReadStream(file), createWriteStream(first ?? '', { flags: 'a' }));
    // The disk has room for all records once.
    await rm(file);
  }
  return { ...input, files: input.files.slice(0, 1), columns: null };
}

async function removeFiles(inputs: readonly PreparedInput[]): Promise<void> {
  await Promise.all(inputs.flatMap(({ files }) => files.map((file) => rm(file, { force: true }))));
}

async function answerOf(
  started: LimitedProcess,
  start: string,
  job: EngineJob,
  answered: (text: string) => void,
): Promise<SqlAnswer | EngineFailure> {
  const { deadlineMs } = job.limits;
  const end = await started.run(start, answered);
  switch (end.kind) {
    case 'deadline':
      return limit(`sql: it was ended after ${deadlineMs} ms; ask for less or filter earlier`);
    case 'oversize':
      return limit('sql: the rows are more than can be handed over; select fewer columns or rows');
    case 'died':
      return limit(tooMuch);
  }
  return JSON.parse(end.text) as SqlAnswer;
}

/** What the engine said, for the model to mend its query: without paths, with the columns that there are. */
function described(answer: SqlRefusal, inputs: readonly PreparedInput[]): EngineFailure {
  if (/out of memory|failed to allocate|bad_alloc|could not allocate/i.test(answer.message)) {
    return limit(tooMuch);
  }
  const message = cleanMessage(
    answer.message,
    inputs.flatMap(({ files }) => files),
  );
  if (answer.stage === 'load') {
    return failed(`sql: the records do not fit a table (${message.split('\n')[0]?.slice(0, 200)}); use a script`);
  }
  const columns = answer.tables.map(
    (table) =>
      `${table.name}(${table.columns
        .map(({ name, type }) => `${name} ${type}`)
        .join(', ')
        .slice(0, 1_500)})`,
  );
  return failed(`${message}\nTables: ${columns.join('; ').slice(0, 3_000)}`);
}

function limit(message: string): EngineFailure {
  return { outcome: 'error', code: 'AnalysisLimit', message };
}

function failed(message: string): EngineFailure {
  return { outcome: 'error', code: 'AnalysisFailed', message };
}
