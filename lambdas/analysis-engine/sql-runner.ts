import path from 'node:path';
import { cleanMessage } from '../../core/analysis/clean-message.ts';
import type { EngineFailure, EngineJob } from '../../core/analysis/engine.ts';
import { type LimitedProcess, startLimited } from './limited-process.ts';
import { mendRecords } from './mend-records.ts';
import type { RowSpool } from './row-spool.ts';
import type { EngineHost, PreparedInput } from './run-job.ts';
import type { SqlAnswer, SqlWork } from './sql-child.ts';

/** Beside the rows: names, types and escapes. */
const answerBytes = (job: EngineJob): number => 2 * job.limits.maxOutputBytes + 1024 * 1024;
/** Virtual memory of a process that has loaded Node and DuckDB but no data, in MiB. */
const emptyProcessMiB = 1_500;

const tooMuch = 'sql: it needed more memory than there is; group, filter or limit earlier, or use a script';

type SqlRows = Extract<SqlAnswer, { ok: true }>;

/** The process of a query, which loads its engine while the inputs are fetched; its rows go to `spool` where they are kept. */
export function startSql(job: EngineJob, host: EngineHost, spool: RowSpool | null): LimitedProcess {
  const { deadlineMs } = job.limits;
  const memoryMiB = Math.floor(host.memoryMiB * 0.45);
  return startLimited(
    path.join(host.programs, 'sql-child.mjs'),
    {
      addressSpaceKiB: (emptyProcessMiB + Math.floor(host.memoryMiB * 0.6)) * 1024,
      cpuSeconds: Math.ceil((deadlineMs * host.threads) / 1_000) + 1,
      heapMiB: 192,
      deadlineMs,
      maxAnswerBytes: answerBytes(job),
    },
    [String(memoryMiB), String(host.threads)],
    spool === null ? undefined : (rows) => spool.take(rows),
  );
}

/** A query in a process of its own; records that no table takes as they are are written anew and tried once more. */
export async function runSql(
  job: EngineJob,
  inputs: readonly PreparedInput[],
  host: EngineHost,
  started: LimitedProcess,
  spool: RowSpool | null,
): Promise<SqlRows | EngineFailure> {
  const until = Date.now() + job.limits.deadlineMs;
  const first = await runOnce(job, inputs, started, spool);
  if (!('stage' in first)) return first;
  if (first.stage === 'load' && /has duplicate key|surrogate in string/.test(first.message)) {
    try {
      for (const { file } of inputs) await mendRecords(file);
    } catch {
      return described(first, inputs);
    }
    // Both together within the one deadline.
    const deadlineMs = Math.max(1_000, until - Date.now());
    const again = { ...job, limits: { ...job.limits, deadlineMs } };
    const second = await runOnce(again, inputs, startSql(again, host, spool), spool);
    return 'stage' in second ? described(second, inputs) : second;
  }
  return described(first, inputs);
}

async function runOnce(
  job: EngineJob,
  inputs: readonly PreparedInput[],
  started: LimitedProcess,
  spool: RowSpool | null,
): Promise<SqlAnswer | EngineFailure> {
  const work: SqlWork = {
    tables: inputs.map(({ name, file, header, records, types, longest }) => ({
      name,
      file,
      textCells: header !== null,
      empty: records === 0 ? (header ?? ['value']) : null,
      types,
      longest,
    })),
    sql: job.program.text,
    maxOutputBytes: job.limits.maxOutputBytes,
    keepBytes: spool?.maxBytes ?? null,
  };
  const { deadlineMs } = job.limits;
  const end = await started.run(JSON.stringify(work));
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
function described(answer: Extract<SqlAnswer, { ok: false }>, inputs: readonly PreparedInput[]): EngineFailure {
  if (/out of memory|failed to allocate|bad_alloc|could not allocate/i.test(answer.message)) {
    return limit(tooMuch);
  }
  const files = inputs.map(({ file }) => file);
  const message = cleanMessage(answer.message, files);
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
