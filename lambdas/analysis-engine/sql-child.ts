import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { KnownType } from '../../core/analysis/known-types.ts';
import { checkQuery } from '../../core/analysis/sql-gate.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import { columnNames } from '../../core/read/record-text.ts';
import { answerAndExit, readWork } from './child-channel.ts';
import { KeptRows } from './kept-rows.ts';
import { jsonText } from './sql-values.ts';

/** What the SQL process is given: everything else it has to live without. */
export interface SqlWork {
  readonly tables: readonly {
    readonly name: string;
    readonly file: string;
    /** All cells are text that may stand for numbers. */
    readonly textCells: boolean;
    /** The columns of a table without records, which has no types to find; null where there are records. */
    readonly empty: readonly string[] | null;
    /** The type of every column in all records, where that is known; names are plain. */
    readonly types?: Readonly<Record<string, KnownType>> | null | undefined;
    /** Bytes of the longest line. */
    readonly longest: number;
  }[];
  readonly sql: string;
  readonly maxOutputBytes: number;
  /** All rows go to descriptor 4 too, up to so many bytes; null: they are not kept. */
  readonly keepBytes: number | null;
}

export interface SqlTable {
  readonly name: string;
  readonly records: number;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

export type SqlAnswer =
  | {
      readonly ok: true;
      readonly columns: SqlTable['columns'];
      readonly rows: readonly (readonly string[])[];
      readonly rowCount: number;
      /** All rows went to descriptor 4. */
      readonly kept: boolean;
      readonly tables: readonly SqlTable[];
    }
  | {
      readonly ok: false;
      /** Where it failed: reading the records, before or in the query. */
      readonly stage: 'load' | 'gate' | 'query';
      readonly message: string;
      readonly tables: readonly SqlTable[];
    };

// Above the program itself, which runs before anything below it is there.
const firstRecords = 2_048;
/** DuckDB reads pieces of twice this; small ones take less memory and are read side by side. */
const smallestPiece = 1024 * 1024;
/** What a first look may make of texts; a later text that is none of it fails the load, never turns into something else. */
const textTypes = new Set(['VARCHAR', 'DATE', 'TIME', 'TIMESTAMP', 'UUID']);
const typeNames = { integer: 'BIGINT', number: 'DOUBLE', boolean: 'BOOLEAN' } as const;

const tables: SqlTable[] = [];
let stage: 'load' | 'gate' | 'query' = 'load';

try {
  const connection = await open();
  // The engine is up by now; work comes when the data is there.
  const work = readWork<SqlWork>();
  for (const table of work.tables) tables.push(await load(connection, table));
  // Irreversible: from here on there are no files, no network, no extensions and no settings.
  for (const lock of [
    'SET enable_external_access=false',
    "SET disabled_filesystems='LocalFileSystem'",
    'SET lock_configuration=true',
  ]) {
    await connection.run(lock);
  }
  stage = 'gate';
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [work.sql]);
  checkQuery(
    JSON.parse(String(reader.getRows()[0]?.[0])),
    work.tables.map((table) => table.name),
  );
  stage = 'query';
  answerAndExit({ ok: true, ...(await query(connection, work)), tables } satisfies SqlAnswer);
} catch (error) {
  const message = error instanceof ClaimcheckError ? error.message : `sql: ${String((error as Error).message)}`;
  answerAndExit({ ok: false, stage, message, tables } satisfies SqlAnswer);
}

/** Memory (MiB) and threads stand on the command line, so that nothing has to be waited for. */
async function open(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${Number(process.argv[2])}MB`,
    threads: String(Number(process.argv[3])),
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_unsigned_extensions: 'false',
    allow_persistent_secrets: 'false',
  });
  return instance.connect();
}

/** Every record: types are found over all of them, so that a field that comes late is a column like the others. */
async function load(connection: DuckDBConnection, table: SqlWork['tables'][number]): Promise<SqlTable> {
  const name = quoted(table.name);
  const source = (sample: number) => `read_json(${literal(table.file)}, format='newline_delimited', records=true,
    sample_size=${sample}, map_inference_threshold=-1, maximum_object_size=${Math.max(smallestPiece, table.longest + 1_024)})`;
  if (table.empty === null) {
    const { types } = table;
    // The records are read twice only where their types are not known to be those that the first of them show.
    const quick = types !== null && types !== undefined && (await showsTypes(connection, source(firstRecords), types));
    const create = (sample: number) => connection.run(`CREATE TABLE ${name} AS SELECT * FROM ${source(sample)}`);
    try {
      await create(quick ? firstRecords : -1);
    } catch (error) {
      if (!quick) throw error;
      await create(-1);
    }
  } else {
    const columns = columnNames(table.empty).map((column) => `${quoted(column)} VARCHAR`);
    await connection.run(`CREATE TABLE ${name} (${columns.join(', ')})`);
  }
  if (table.textCells && table.empty === null) await typeCells(connection, name);
  const described = await connection.runAndReadAll(`DESCRIBE ${name}`);
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${name}`);
  return {
    name: table.name,
    records: Number(counted.getRows()[0]?.[0] ?? 0),
    columns: described.getRows().map((row) => ({ name: String(row[0]), type: String(row[1]) })),
  };
}

async function showsTypes(
  connection: DuckDBConnection,
  source: string,
  types: NonNullable<SqlWork['tables'][number]['types']>,
): Promise<boolean> {
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
  const rows = described.getRows();
  return (
    rows.length === Object.keys(types).length &&
    rows.every(([name, type]) => {
      const known = Object.hasOwn(types, String(name)) ? types[String(name)] : undefined;
      if (known === undefined) return false;
      return known === 'string' ? textTypes.has(String(type)) : typeNames[known] === type;
    })
  );
}

/** Cells of a table are text: a column in which every filled cell is a plain number becomes numbers. */
async function typeCells(connection: DuckDBConnection, name: string): Promise<void> {
  const described = await connection.runAndReadAll(`DESCRIBE ${name}`);
  const columns = described
    .getRows()
    .filter((row) => row[1] === 'VARCHAR')
    .map((row) => quoted(String(row[0])));
  if (columns.length === 0) return;
  const test = (pattern: string) => (column: string) =>
    `coalesce(bool_and(regexp_full_match(${column}, '${pattern}')) FILTER (${column} <> ''), false)`;
  // No leading zero, no more digits than are exact: what looks like an identifier stays a text.
  const whole = columns.map(test('-?(0|[1-9][0-9]{0,17})'));
  const broken = columns.map(test('-?(0|[1-9][0-9]{0,14})(\\.[0-9]{1,14})?'));
  const answer = await connection.runAndReadAll(`SELECT ${[...whole, ...broken].join(', ')} FROM ${name}`);
  const flags = answer.getRows()[0] ?? [];
  for (const [at, column] of columns.entries()) {
    const type = flags[at] === true ? 'BIGINT' : flags[at + columns.length] === true ? 'DOUBLE' : null;
    if (type === null) continue;
    await connection.run(
      `ALTER TABLE ${name} ALTER ${column} TYPE ${type} USING CAST(nullif(${column}, '') AS ${type})`,
    );
  }
}

/** All rows are counted; those that fit are kept. */
async function query(connection: DuckDBConnection, work: SqlWork) {
  const result = await connection.stream(work.sql);
  const types = result.columnTypes();
  const columns = result.columnNames().map((name, at) => ({ name, type: String(types[at]) }));
  const rows: string[][] = [];
  let rowCount = 0;
  let bytes = Buffer.byteLength(JSON.stringify(columns), 'utf8');
  let full = false;
  const kept =
    work.keepBytes === null ? null : new KeptRows(columnNames(columns.map(({ name }) => name)), work.keepBytes);
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
      if (bytes > work.maxOutputBytes) full = true;
      else rows.push(row);
    });
  }
  return { columns, rows, rowCount, kept: kept?.end() ?? false };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
