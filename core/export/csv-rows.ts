import { ClaimcheckError } from '../errors.ts';
import { type ByteWriter, oddAscii } from './byte-writer.ts';
import { csvJson, csvText, startsFormula } from './csv-cell.ts';
import { cellOf, type Row } from './row-value.ts';
import { typedJson } from './typed-json.ts';

/** Characters that a spreadsheet shows of one cell (Excel's limit, DESIGN 12). */
export const spreadsheetCellCharacters = 32_767;

const comma = 0x2c;
/** What makes a field need quotes. Other controls need none, but are rare: they take the slow way with these. */
const odd = oddAscii('",');

export interface CsvColumns {
  /** These and no others: a row that holds another key throws `InvalidInput` that names it. */
  readonly columns?: readonly string[] | undefined;
  /** A key that is kept in no row. */
  readonly without?: string | undefined;
}

/**
 * Writes rows as CSV records. Columns are kept in first-seen order; a row has as many fields as there were columns when
 * it was written (one at least), so a late key makes later rows wider.
 */
export class CsvRows {
  /** First-seen order. */
  readonly columns: string[] = [];
  /** Cells longer than a spreadsheet shows. */
  longCells = 0;
  private readonly without: string | undefined;
  private readonly closed: boolean;
  private readonly places = new Map<string, number>();
  private readonly values: unknown[] = [];

  constructor({ columns, without }: CsvColumns = {}) {
    this.without = without;
    this.closed = columns !== undefined;
    for (const column of columns ?? []) {
      if (column === without || this.places.has(column)) continue;
      this.places.set(column, this.columns.length);
      this.columns.push(column);
    }
  }

  /** The header record, guarded like any cell: column names come from data. */
  header(): string {
    return `${this.columns.map(csvText).join(',')}\r\n`;
  }

  /** Learns the columns that a row brings; answers whether the row's keys are the columns, in their order. */
  learn(row: Row): boolean {
    const { columns, without } = this;
    const keys = Object.keys(row);
    let column = 0;
    for (const key of keys) {
      if (columns[column] === key) column += 1;
      else if (key !== without) return this.scatter(row, keys);
    }
    return column === columns.length || this.scatter(row, keys);
  }

  /** Writes the row that was learnt last. */
  write(row: Row, inOrder: boolean, out: ByteWriter): void {
    const { columns, values } = this;
    const start = out.at;
    for (let column = 0; column < columns.length; column += 1) {
      if (column > 0) {
        out.room(1);
        out.byte(comma);
      }
      this.cell(inOrder ? row[columns[column] as string] : values[column], out);
    }
    // A record of one empty field would be an empty line, which readers skip.
    if (columns.length <= 1 && out.at === start) out.ascii('""\r\n');
    else out.ascii('\r\n');
  }

  /** A row whose keys stand in another order, lack some, or bring a new one: its values by column. */
  private scatter(row: Row, keys: readonly string[]): false {
    const { values, places, without } = this;
    values.length = 0;
    for (const key of keys) {
      if (key === without) continue;
      const value = row[key];
      let place = places.get(key);
      if (place === undefined) {
        // A key without a value is no column.
        if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue;
        place = this.add(key);
      }
      values[place] = value;
    }
    return false;
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

  private cell(value: unknown, out: ByteWriter): void {
    switch (typeof value) {
      case 'string':
        this.text(value, out);
        return;
      case 'number':
        if (Number.isFinite(value)) out.number(value);
        else out.ascii(String(value));
        return;
      case 'boolean':
        out.ascii(value ? 'true' : 'false');
        return;
      default:
        this.rare(value, out);
    }
  }

  private text(text: string, out: ByteWriter): void {
    if (text.length > spreadsheetCellCharacters) this.longCells += 1;
    if (text === '' || startsFormula(text) || !out.plain(text, odd, 0)) out.text(csvText(text));
  }

  private rare(value: unknown, out: ByteWriter): void {
    if (value === null || value === undefined) return;
    const cell = cellOf(value);
    if (cell.kind === 'text') this.text(cell.text, out);
    else if (cell.kind === 'number') out.text(cell.text);
    else if (cell.kind === 'nested') {
      const json = typedJson(cell.value);
      if (json.length > spreadsheetCellCharacters) this.longCells += 1;
      out.text(csvJson(json));
    }
  }
}
