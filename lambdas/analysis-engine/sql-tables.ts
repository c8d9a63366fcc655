import duckdb, { type Connection } from '@duckdb/node-bindings';
import type { PlannedColumn } from '../../core/analysis/planned-columns.ts';
import { columnNames } from '../../core/read/record-text.ts';
import { valuesOf } from './plain-rows.ts';
import type { SqlFile, SqlSlice, SqlTable } from './sql-work.ts';

/** DuckDB reads pieces of twice this; small ones take less memory and are read side by side. */
const smallestPiece = 1024 * 1024;

/** Tables whose columns are known ahead, filled slice by slice while more are on the way. */
export class SlicedTables {
  readonly #connection: Connection;
  /** Lower-case names that the query mentions; null: it may see every column. */
  readonly #mentioned: ReadonlySet<string> | null;
  readonly #tables = new Map<string, { readonly columns: readonly PlannedColumn[]; records: number }>();

  constructor(connection: Connection, mentioned: ReadonlySet<string> | null) {
    this.#connection = connection;
    this.#mentioned = mentioned;
  }

  /** Some column of a table stayed away. */
  get narrow(): boolean {
    return [...this.#tables.values()].some(({ columns }) => this.#loaded(columns).length < columns.length);
  }

  /** All of one table, in order. */
  async add(slices: readonly [SqlSlice, ...SqlSlice[]]): Promise<void> {
    const { table, columns } = slices[0];
    const loaded = this.#loaded(columns);
    const known = this.#tables.get(table) ?? { columns, records: 0 };
    if (!this.#tables.has(table)) {
      this.#tables.set(table, known);
      const typed = loaded.map(({ name, type }) => `${quoted(name)} ${type}`);
      await duckdb.query(this.#connection, `CREATE TABLE ${quoted(table)} (${typed.join(', ')})`);
    }
    const files = slices.map(({ file }) => literal(file));
    const types = loaded.map(({ name, type }) => `${quoted(name)}: '${type}'`);
    const format = (type: PlannedColumn['type'], option: string) => {
      const written = loaded.find((column) => column.type === type)?.format;
      return written === undefined ? '' : `, ${option}=${literal(written)}`;
    };
    const longest = Math.max(...slices.map((slice) => slice.longest));
    const inserted = await duckdb.query(
      this.#connection,
      `INSERT INTO ${quoted(table)} SELECT * FROM read_json([${files.join(', ')}], format='newline_delimited',
        records=true, columns={${types.join(', ')}}${format('DATE', 'dateformat')}${format('TIMESTAMP', 'timestampformat')},
        maximum_object_size=${pieceOf(longest)})`,
    );
    known.records += duckdb.rows_changed(inserted);
  }

  /** With all their columns, also those that were not loaded. */
  described(): readonly SqlTable[] {
    return [...this.#tables].map(([name, { columns, records }]) => ({
      name,
      records,
      columns: columns.map((column) => ({ name: column.name, type: column.type })),
    }));
  }

  #loaded(columns: readonly PlannedColumn[]): readonly PlannedColumn[] {
    const mentioned = this.#mentioned;
    if (mentioned === null) return columns;
    const loaded = columns.filter(({ name }) => mentioned.has(name.toLowerCase()));
    // Records are counted by a column of theirs.
    return loaded.length > 0 ? loaded : columns.slice(0, 1);
  }
}

/** Every record: types are found over all of them, so that a field that comes late is a column like the others. */
export async function loadFile(connection: Connection, table: SqlFile): Promise<SqlTable> {
  const name = quoted(table.table);
  if (table.empty === null) {
    await duckdb.query(
      connection,
      `CREATE TABLE ${name} AS SELECT * FROM read_json(${literal(table.file)}, format='newline_delimited', records=true,
        sample_size=-1, map_inference_threshold=-1, maximum_object_size=${pieceOf(table.longest)})`,
    );
    if (table.textCells) await typeCells(connection, name);
  } else {
    const columns = columnNames(table.empty).map((column) => `${quoted(column)} VARCHAR`);
    await duckdb.query(connection, `CREATE TABLE ${name} (${columns.join(', ')})`);
  }
  const described = await valuesOf(connection, `DESCRIBE ${name}`);
  const [counted] = await valuesOf(connection, `SELECT count(*) FROM ${name}`);
  return {
    name: table.table,
    records: Number(counted?.[0] ?? 0),
    columns: described.map((row) => ({ name: String(row[0]), type: String(row[1]) })),
  };
}

/** Cells of a table are text: a column in which every filled cell is a plain number becomes numbers. */
async function typeCells(connection: Connection, name: string): Promise<void> {
  const described = await valuesOf(connection, `DESCRIBE ${name}`);
  const columns = described.filter((row) => row[1] === 'VARCHAR').map((row) => quoted(String(row[0])));
  if (columns.length === 0) return;
  const test = (pattern: string) => (column: string) =>
    `coalesce(bool_and(regexp_full_match(${column}, '${pattern}')) FILTER (${column} <> ''), false)`;
  // No leading zero, no more digits than are exact: what looks like an identifier stays a text.
  const whole = columns.map(test('-?(0|[1-9][0-9]{0,17})'));
  const broken = columns.map(test('-?(0|[1-9][0-9]{0,14})(\\.[0-9]{1,14})?'));
  const [flags = []] = await valuesOf(connection, `SELECT ${[...whole, ...broken].join(', ')} FROM ${name}`);
  for (const [at, column] of columns.entries()) {
    const type = flags[at] === true ? 'BIGINT' : flags[at + columns.length] === true ? 'DOUBLE' : null;
    if (type === null) continue;
    await duckdb.query(
      connection,
      `ALTER TABLE ${name} ALTER ${column} TYPE ${type} USING CAST(nullif(${column}, '') AS ${type})`,
    );
  }
}

function pieceOf(longest: number): number {
  return Math.max(smallestPiece, longest + 1_024);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
