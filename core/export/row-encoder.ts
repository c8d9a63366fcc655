import { ClaimcheckError } from '../errors.ts';
import { csvJson, csvText } from './csv-cell.ts';
import { JsonText } from './json-text.ts';
import { typedJson } from './typed-json.ts';

/** Characters that a spreadsheet shows of one cell (Excel's limit, DESIGN 12). */
export const spreadsheetCellCharacters = 32_767;

const lineEnd = '\r\n';

export interface RowEncoderOptions {
  /** These and no others: a row that holds another key throws `InvalidInput` that names it. */
  readonly columns?: readonly string[] | undefined;
  /** A key that is kept in no row. */
  readonly without?: string | undefined;
  /** Whether `json` is made; default true. */
  readonly typed?: boolean;
}

/**
 * Writes one row twice in one pass: as a CSV record and as a typed JSON object. Columns are kept in first-seen order;
 * a row has as many fields as there were columns when it was written (one at least), so a late key makes later rows
 * wider.
 */
export class RowEncoder {
  /** First-seen order. */
  readonly columns: string[] = [];
  /** The row last encoded, as a CSV record with its line end. */
  csv = '';
  /** The row last encoded, as a JSON object. */
  json = '';
  /** Cells longer than a spreadsheet shows. */
  longCells = 0;
  private readonly typed: boolean;
  private readonly without: string | undefined;
  private readonly closed: boolean;
  private readonly places = new Map<string, number>();
  private readonly cells: string[] = [];
  /** The row holds a value that JSON.stringify would refuse or change. */
  private special = false;

  constructor(options: RowEncoderOptions = {}) {
    this.without = options.without;
    this.typed = options.typed ?? true;
    for (const column of options.columns ?? []) {
      if (column === this.without) continue;
      this.places.set(column, this.columns.length);
      this.columns.push(column);
    }
    this.closed = options.columns !== undefined;
  }

  encode(row: unknown): void {
    const record = isRecord(row) ? row : { value: row };
    this.special = this.without !== undefined;
    this.csv = this.record(record);
    if (this.typed) this.json = this.special ? typedJson(record, this.without) : JSON.stringify(record);
  }

  /** The header record, guarded like any cell: column names come from data. */
  header(): string {
    return this.columns.map(csvText).join(',') + lineEnd;
  }

  private record(row: Readonly<Record<string, unknown>>): string {
    const { columns } = this;
    const keys = Object.keys(row);
    let csv = '';
    let column = 0;
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at] as string;
      // Rows of one source have their keys in one order: then a key is found by looking where the last one was.
      if (columns[column] !== key) {
        if (key === this.without) continue;
        return this.scattered(row, keys);
      }
      if (column > 0) csv += ',';
      csv += this.cell(row[key]);
      column += 1;
    }
    for (; column < columns.length; column += 1) csv += column === 0 ? '' : ',';
    return closed(csv, columns.length);
  }

  /** A row whose keys stand in another order, or that brings a new one. */
  private scattered(row: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
    const { cells, columns } = this;
    cells.length = 0;
    for (const key of keys) {
      const value = row[key];
      // A key without a value is no column.
      if (key === this.without || (value === undefined && !this.places.has(key))) continue;
      cells[this.places.get(key) ?? this.add(key)] = this.cell(value);
    }
    let csv = cells[0] ?? '';
    for (let column = 1; column < columns.length; column += 1) csv += `,${cells[column] ?? ''}`;
    return closed(csv, columns.length);
  }

  private add(key: string): number {
    if (this.closed) {
      throw new ClaimcheckError('InvalidInput', `row: column ${JSON.stringify(key)} is none of the declared columns`);
    }
    const place = this.columns.length;
    this.columns.push(key);
    this.places.set(key, place);
    return place;
  }

  private cell(value: unknown): string {
    switch (typeof value) {
      case 'string':
        if (value.length > spreadsheetCellCharacters) this.longCells += 1;
        return csvText(value);
      case 'number':
        if (Number.isFinite(value) && !Object.is(value, -0)) return String(value);
        this.special = true;
        return Object.is(value, -0) ? '-0' : String(value);
      case 'boolean':
        return value ? 'true' : 'false';
      case 'bigint':
        this.special = true;
        return String(value);
      case 'object':
        return value === null ? '' : this.object(value);
      default:
        return '';
    }
  }

  private object(value: object): string {
    if (value instanceof JsonText) {
      this.special = true;
      return this.nested(value.text);
    }
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
    this.special = true;
    if (value instanceof Uint8Array) return this.cell(Buffer.from(value).toString('base64'));
    const plain = 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value;
    return typeof plain === 'object' && plain !== null ? this.nested(typedJson(plain)) : this.cell(plain);
  }

  private nested(json: string): string {
    if (json.length > spreadsheetCellCharacters) this.longCells += 1;
    return csvJson(json);
  }
}

/** A record of one empty field would be an empty line, which readers skip. */
function closed(csv: string, columns: number): string {
  return (columns <= 1 && csv === '' ? '""' : csv) + lineEnd;
}

function isRecord(row: unknown): row is Readonly<Record<string, unknown>> {
  return (
    typeof row === 'object' &&
    row !== null &&
    !Array.isArray(row) &&
    !(row instanceof Date) &&
    !(row instanceof JsonText) &&
    !(row instanceof Uint8Array)
  );
}
