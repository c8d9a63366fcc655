import duckdb, { type Connection, type Database } from '@duckdb/node-bindings';
import { mentionedNames } from '../../core/analysis/mentioned-names.ts';
import { checkQuery } from '../../core/analysis/sql-gate.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import { columnNames } from '../../core/read/record-text.ts';
import { answerAndExit, Inbox } from './child-channel.ts';
import { KeptRows } from './kept-rows.ts';
import { plainRows, valuesOf } from './plain-rows.ts';
import { loadFile, SlicedTables } from './sql-tables.ts';
import type { SqlAnswer, SqlMessage, SqlQuery, SqlSlice, SqlTable } from './sql-work.ts';

/** From so many slices on a second thread is worth what it costs. */
const manySlices = 4;

/** Built beside this program (`lib/engine-programs.ts`). */
const loadAnyRows = () => require('./any-rows.cjs') as typeof import('./any-rows.ts');

/** Irreversible: from here on there are no files, no network, no extensions and no settings. */
async function lock(connection: Connection): Promise<void> {
  await duckdb.query(connection, 'SET enable_external_access=false');
  await duckdb.query(connection, "SET disabled_filesystems='LocalFileSystem'");
  await duckdb.query(connection, 'SET lock_configuration=true');
}

/** What the query names (`mentionedNames`), or why it is refused. Only DuckDB's parser sees it here: nothing is run. */
async function gate(
  connection: Connection,
  { sql, tables, narrow }: SqlQuery,
): Promise<{ readonly mentioned: ReadonlySet<string> | null; readonly refusal: unknown }> {
  try {
    // DuckDB takes it for the end, and would run what stands before it.
    if (sql.includes('\0')) throw new ClaimcheckError('AnalysisFailed', 'sql: expected no character U+0000');
    const [row] = await valuesOf(connection, 'SELECT json_serialize_sql($1::VARCHAR)::VARCHAR', sql);
    const serialized = treeOf(String(row?.[0]));
    checkQuery(serialized, tables);
    return { mentioned: narrow ? mentionedNames(serialized, tables) : null, refusal: undefined };
  } catch (refusal) {
    // It is refused once the tables are there to be named.
    return { mentioned: new Set(), refusal };
  }
}

/** DuckDB writes a number beyond a double into its tree as `Infinity`, which is no JSON. */
function treeOf(serialized: string): unknown {
  try {
    return JSON.parse(serialized);
  } catch {
    throw new ClaimcheckError('AnalysisFailed', 'sql: a number in it is beyond what a double holds');
  }
}

/** All rows are counted; those that fit are answered. */
async function answerOf(connection: Connection, { sql, maxOutputBytes, keepBytes }: SqlQuery) {
  const result = await duckdb.execute_prepared_streaming(await duckdb.prepare(connection, sql));
  const answer = plainRows(result) ?? loadAnyRows().anyRows(result);
  const { columns } = answer;
  const rows: (readonly string[])[] = [];
  let rowCount = 0;
  let bytes = Buffer.byteLength(JSON.stringify(columns), 'utf8');
  let full = false;
  const kept = keepBytes === null ? null : new KeptRows(columnNames(columns.map(({ name }) => name)), keepBytes);
  for (let piece = await answer.next(); piece !== null; piece = await answer.next()) {
    rowCount += piece.count;
    if (full && kept?.over !== false) continue;
    piece.visit((cells) => {
      kept?.row(cells);
      if (!full) {
        bytes += cells.reduce((sum, cell) => sum + Buffer.byteLength(cell, 'utf8') + 4, 4);
        if (bytes > maxOutputBytes) full = true;
        else rows.push(cells);
      }
      return !full || kept?.over === false;
    });
  }
  return { columns, rows, rowCount, kept: kept?.end() ?? false };
}

interface SqlSlices {
  readonly kind: 'slices';
  readonly slices: [SqlSlice, ...SqlSlice[]];
}

/** Neighbours of one table are loaded by one statement. */
function together(messages: readonly SqlMessage[]): readonly (Exclude<SqlMessage, SqlSlice> | SqlSlices)[] {
  const groups: (Exclude<SqlMessage, SqlSlice> | SqlSlices)[] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (message.kind !== 'slice') groups.push(message);
    else if (last?.kind === 'slices' && last.slices[0].table === message.table) last.slices.push(message);
    else groups.push({ kind: 'slices', slices: [message] });
  }
  return groups;
}

/** Works off what comes on standard input, in a database that is just being opened; answers and ends the process. */
export async function answerQuery(opening: Promise<Database>, threads: number): Promise<never> {
  const files: SqlTable[] = [];
  let sliced: SlicedTables | undefined;
  let stage: 'load' | 'gate' | 'query' = 'load';
  const loaded = () => [...files, ...(sliced?.described() ?? [])];
  try {
    const connection = await duckdb.connect(await opening);
    const inbox = new Inbox<SqlMessage>();
    let query: SqlQuery | undefined;
    let refusal: unknown;
    for (;;) {
      const messages = inbox.take();
      // Nobody wants an answer any more.
      if (messages.length === 0) process.exit(0);
      // Everything is there, and nobody else needs the processors.
      const all = messages.at(-1)?.kind === 'start';
      if (all && messages.length > manySlices) await duckdb.query(connection, `SET threads=${threads}`);
      for (const next of together(messages)) {
        if (next.kind === 'query') {
          const found = await gate(connection, next);
          query = next;
          refusal = found.refusal;
          sliced = new SlicedTables(connection, found.mentioned);
        } else if (next.kind === 'file') files.push(await loadFile(connection, next));
        else if (next.kind === 'slices') await sliced?.add(next.slices);
        else if (query !== undefined) {
          await duckdb.query(connection, `SET threads=${threads}`);
          await lock(connection);
          stage = 'gate';
          if (refusal !== undefined) throw refusal;
          stage = 'query';
          answerAndExit({ ok: true, ...(await answerOf(connection, query)), tables: loaded() } satisfies SqlAnswer);
        }
      }
    }
  } catch (error) {
    const message = error instanceof ClaimcheckError ? error.message : `sql: ${String((error as Error).message)}`;
    const narrow = sliced?.narrow ?? false;
    answerAndExit({ ok: false, stage, message, tables: loaded(), narrow } satisfies SqlAnswer);
  }
}
