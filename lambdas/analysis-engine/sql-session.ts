import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Database } from '@duckdb/node-bindings';
import { mentionedNames } from '../../core/analysis/mentioned-names.ts';
import { checkQuery } from '../../core/analysis/sql-gate.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import { columnNames } from '../../core/read/record-text.ts';
import { answerAndExit, Inbox } from './child-channel.ts';
import { KeptRows } from './kept-rows.ts';
import { loadFile, SlicedTables } from './sql-tables.ts';
import { jsonText } from './sql-values.ts';
import type { SqlAnswer, SqlMessage, SqlQuery, SqlSlice, SqlTable } from './sql-work.ts';

/** Irreversible: from here on there are no files, no network, no extensions and no settings. */
async function lock(connection: DuckDBConnection): Promise<void> {
  await connection.run('SET enable_external_access=false');
  await connection.run("SET disabled_filesystems='LocalFileSystem'");
  await connection.run('SET lock_configuration=true');
}

/** What the query names (`mentionedNames`), or why it is refused. Only DuckDB's parser sees it here: nothing is run. */
async function gate(
  connection: DuckDBConnection,
  { sql, tables, narrow }: SqlQuery,
): Promise<{ readonly mentioned: ReadonlySet<string> | null; readonly refusal: unknown }> {
  try {
    const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
    const serialized: unknown = JSON.parse(String(reader.getRows()[0]?.[0]));
    checkQuery(serialized, tables);
    return { mentioned: narrow ? mentionedNames(serialized, tables) : null, refusal: undefined };
  } catch (refusal) {
    // It is refused once the tables are there to be named.
    return { mentioned: new Set(), refusal };
  }
}

/** All rows are counted; those that fit are answered. */
async function answerOf(connection: DuckDBConnection, { sql, maxOutputBytes, keepBytes }: SqlQuery) {
  const result = await connection.stream(sql);
  const types = result.columnTypes();
  const columns = result.columnNames().map((name, at) => ({ name, type: String(types[at]) }));
  const rows: string[][] = [];
  let rowCount = 0;
  let bytes = Buffer.byteLength(JSON.stringify(columns), 'utf8');
  let full = false;
  const kept = keepBytes === null ? null : new KeptRows(columnNames(columns.map(({ name }) => name)), keepBytes);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    rowCount += chunk.rowCount;
    if (full && kept?.over !== false) continue;
    chunk.visitRows((values) => {
      if (full && kept?.over !== false) return;
      const row = values.map((value, at) => jsonText(value, types[at]));
      kept?.row(row);
      if (full) return;
      bytes += row.reduce((sum, cell) => sum + Buffer.byteLength(cell, 'utf8') + 4, 4);
      if (bytes > maxOutputBytes) full = true;
      else rows.push(row);
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
    const connection = await new DuckDBInstance(await opening).connect();
    const inbox = new Inbox<SqlMessage>();
    let query: SqlQuery | undefined;
    let refusal: unknown;
    for (;;) {
      const messages = inbox.take();
      // Nobody wants an answer any more.
      if (messages.length === 0) process.exit(0);
      // Everything is there.
      if (messages.at(-1)?.kind === 'start') await connection.run(`SET threads=${threads}`);
      for (const next of together(messages)) {
        if (next.kind === 'query') {
          const found = await gate(connection, next);
          query = next;
          refusal = found.refusal;
          sliced = new SlicedTables(connection, found.mentioned);
        } else if (next.kind === 'file') files.push(await loadFile(connection, next));
        else if (next.kind === 'slices') await sliced?.add(next.slices);
        else if (query !== undefined) {
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
