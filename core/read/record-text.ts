import { isUtf8 } from 'node:buffer';
import { csvFields } from '../scan/csv-rows.ts';
import { markOddValues } from '../scan/odd-values.ts';
import type { ResultIndex } from '../store/result-index.ts';
import { FieldPicker } from './field-picker.ts';

/** The text of one record as it stands in an answer, and whether every byte of it could be shown. */
export interface RecordText {
  readonly text: string;
  readonly bytes: number;
  /** False when the record holds bytes that are not UTF-8, shown as U+FFFD. */
  readonly exact: boolean;
}

/** Turns a record's own bytes into the text that a reader gets, all fields or the picked ones. */
export interface RecordWriter {
  write(record: Uint8Array): RecordText;
  /** Fields, by position, that at least one record had. */
  readonly seen: readonly boolean[];
}

export function recordWriter(
  index: Pick<ResultIndex, 'kind' | 'table'>,
  fields: readonly string[] | null,
): RecordWriter {
  if (index.table !== null) return tableWriter(index.table, fields);
  if (index.kind === 'text' || fields === null) return { write: (record) => shown(marked(index, record)), seen: [] };
  const picker = new FieldPicker(fields, Number.MAX_SAFE_INTEGER);
  return {
    seen: picker.seen,
    write: (record) => {
      picker.begin();
      picker.write(record, 0, record.length);
      return shown(marked(index, picker.end()));
    },
  };
}

/** A row as an object of the header's names; every value is the cell's own text, in quotes. */
function tableWriter(
  table: { readonly header: readonly string[]; readonly delimiter: string },
  fields: readonly string[] | null,
): RecordWriter {
  const names = columnNames(table.header);
  const wanted = fields ?? names;
  return {
    seen: wanted.map(() => true),
    write: (record) => {
      const cells = csvFields(record, table.delimiter);
      const row: string[] = [];
      const put = (name: string, cell: string): void => {
        row.push(`${JSON.stringify(name)}:${JSON.stringify(cell)}`);
      };
      for (const name of wanted) {
        const cell = cells[names.indexOf(name)];
        // A short row lacks its last fields, which is not the same as empty ones.
        if (cell !== undefined) put(name, cell);
      }
      if (fields === null)
        for (let at = names.length; at < cells.length; at += 1) put(`column_${at + 1}`, cells[at] ?? '');
      const text = `{${row.join(',')}}`;
      return { text, bytes: Buffer.byteLength(text), exact: isUtf8(record) };
    },
  };
}

/** A header that repeats a name gets `name_2`, so that no cell hides another. */
export function columnNames(header: readonly string[]): string[] {
  const used = new Set<string>();
  return header.map((name) => {
    let unique = name;
    for (let n = 2; used.has(unique); n += 1) unique = `${name}_${n}`;
    used.add(unique);
    return unique;
  });
}

/** NaN and infinities become marked strings, as in previews and in analysis. */
function marked(index: Pick<ResultIndex, 'kind'>, record: Uint8Array): Uint8Array {
  if (index.kind === 'text') return record;
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.length);
  return bytes.includes('NaN') || bytes.includes('Infinity') ? markOddValues(record) : record;
}

function shown(record: Uint8Array): RecordText {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.length);
  const text = bytes.toString('utf8');
  const exact = isUtf8(bytes);
  return { text, bytes: exact ? bytes.length : Buffer.byteLength(text), exact };
}
