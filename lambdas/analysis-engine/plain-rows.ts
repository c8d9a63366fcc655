import duckdb, { type Connection, type Result, type Vector } from '@duckdb/node-bindings';

/** An answer on its way, piece by piece. */
export interface Rows {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Null: there are no more. */
  next(): Promise<RowPiece | null>;
}

export interface RowPiece {
  readonly count: number;
  /** Every row, each cell as JSON text, until one is answered with false. */
  visit(take: (cells: readonly string[]) => boolean): void;
}

interface PlainType {
  readonly name: string;
  /** Bytes of a value. */
  readonly width: number;
  text(data: DataView, at: number): string;
}

const decimal = (value: number): string => (Number.isFinite(value) ? String(value) : JSON.stringify(String(value)));
/** A text may begin with U+FEFF. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Of these types nearly all answers are made; the package's own classes read the others (`anyRows`). */
const plainTypes: ReadonlyMap<number, PlainType> = new Map<number, PlainType>([
  [duckdb.Type.BOOLEAN, { name: 'BOOLEAN', width: 1, text: (data, at) => String(data.getUint8(at) !== 0) }],
  [duckdb.Type.TINYINT, { name: 'TINYINT', width: 1, text: (data, at) => String(data.getInt8(at)) }],
  [duckdb.Type.SMALLINT, { name: 'SMALLINT', width: 2, text: (data, at) => String(data.getInt16(at, true)) }],
  [duckdb.Type.INTEGER, { name: 'INTEGER', width: 4, text: (data, at) => String(data.getInt32(at, true)) }],
  [duckdb.Type.BIGINT, { name: 'BIGINT', width: 8, text: (data, at) => data.getBigInt64(at, true).toString() }],
  [duckdb.Type.UTINYINT, { name: 'UTINYINT', width: 1, text: (data, at) => String(data.getUint8(at)) }],
  [duckdb.Type.USMALLINT, { name: 'USMALLINT', width: 2, text: (data, at) => String(data.getUint16(at, true)) }],
  [duckdb.Type.UINTEGER, { name: 'UINTEGER', width: 4, text: (data, at) => String(data.getUint32(at, true)) }],
  [duckdb.Type.UBIGINT, { name: 'UBIGINT', width: 8, text: (data, at) => data.getBigUint64(at, true).toString() }],
  [duckdb.Type.FLOAT, { name: 'FLOAT', width: 4, text: (data, at) => decimal(data.getFloat32(at, true)) }],
  [duckdb.Type.DOUBLE, { name: 'DOUBLE', width: 8, text: (data, at) => decimal(data.getFloat64(at, true)) }],
  [
    duckdb.Type.HUGEINT,
    {
      name: 'HUGEINT',
      width: 16,
      text: (data, at) => ((data.getBigInt64(at + 8, true) << 64n) + data.getBigUint64(at, true)).toString(),
    },
  ],
  [duckdb.Type.VARCHAR, { name: 'VARCHAR', width: 16, text: (data, at) => JSON.stringify(stringOf(data, at)) }],
]);

/** Short strings lie in the value itself, others behind a pointer. */
function stringOf(data: DataView, at: number): string {
  const bytes = data.getUint32(at, true);
  return decoder.decode(
    bytes <= 12
      ? new Uint8Array(data.buffer, data.byteOffset + at + 4, bytes)
      : duckdb.get_data_from_pointer(data.buffer as ArrayBuffer, data.byteOffset + at + 8, bytes),
  );
}

/** The rows of an answer, read without the package's classes, which take long to load; null where a type needs them. */
export function plainRows(result: Result): Rows | null {
  const columns = Array.from({ length: duckdb.column_count(result) }, (_, at) => at);
  const types: PlainType[] = [];
  for (const at of columns) {
    const type = plainTypes.get(duckdb.column_type(result, at));
    // A type of another name, such as JSON, is one for itself.
    const alias = duckdb.logical_type_get_alias(duckdb.column_logical_type(result, at));
    if (type === undefined || alias) return null;
    types.push(type);
  }
  return {
    columns: types.map(({ name: type }, at) => ({ name: duckdb.column_name(result, at), type })),
    next: async () => {
      const chunk = await duckdb.fetch_chunk(result);
      const count = chunk === null ? 0 : duckdb.data_chunk_get_size(chunk);
      if (chunk === null || count === 0) return null;
      return {
        count,
        visit: (take) => {
          const read = types.map((type, at) => cellsOf(duckdb.data_chunk_get_vector(chunk, at), type, count));
          for (let row = 0; row < count; row += 1) if (!take(read.map((cell) => cell(row)))) return;
        },
      };
    },
  };
}

function cellsOf(vector: Vector, { width, text }: PlainType, count: number): (row: number) => string {
  const bytes = duckdb.vector_get_data(vector, count * width);
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // A bit a row; none where there is no null.
  const valid: Uint8Array | null = duckdb.vector_get_validity(vector, Math.ceil(count / 64) * 8);
  return (row) => {
    if (valid && ((valid[row >> 3] as number) & (1 << (row & 7))) === 0) return 'null';
    return text(data, row * width);
  };
}

/** All values of a statement of ours, whose types are plain. */
export async function valuesOf(connection: Connection, sql: string, ...texts: string[]): Promise<unknown[][]> {
  const prepared = await duckdb.prepare(connection, sql);
  for (const [at, text] of texts.entries()) duckdb.bind_varchar(prepared, at + 1, text);
  const rows = plainRows(await duckdb.execute_prepared(prepared));
  if (rows === null) throw new Error(`${sql}: its types are not plain`);
  const values: unknown[][] = [];
  for (let piece = await rows.next(); piece !== null; piece = await rows.next()) {
    piece.visit((cells) => values.push(cells.map((cell) => JSON.parse(cell) as unknown)) > 0);
  }
  return values;
}
