import { CsvRows, csvFields } from './csv-rows.ts';

const maxColumns = 1024;
const maxNameBytes = 128;
const rowsLooked = 50;
/** A name as programs write it. */
const plainWord = /^"?[\p{L}_][\p{L}\p{N}_.-]*"?$/u;

export interface CsvTable {
  readonly header: readonly string[];
  readonly delimiter: string;
  readonly dataOffset: number;
}

/**
 * Takes a text's head for delimited rows with a header when every row looked at has the same number of fields, at
 * least two, and the first row reads like names: filled, unique, short, none of them a number or a sentence. A header
 * alone is a table without rows when its line is ended and its names are plain words (`id,created_at`): "Hello, world"
 * is text. `head[from]` is the first byte after a byte-order mark; with `atEnd` the head is the whole body.
 */
export function detectCsv(head: Uint8Array, from: number, atEnd: boolean): CsvTable | null {
  for (const delimiter of [',', '\t', ';', '|']) {
    const table = tryDelimiter(head, from, atEnd, delimiter);
    if (table !== null) return table;
  }
  return null;
}

function tryDelimiter(head: Uint8Array, from: number, atEnd: boolean, delimiter: string): CsvTable | null {
  const first = head.indexOf(delimiter.charCodeAt(0), from);
  const firstLine = head.indexOf(0x0a, from);
  // Cheap no: names without the delimiter. (A header may hold line ends inside quotes; then it has quotes.)
  if (first < 0 || (firstLine >= 0 && first > firstLine && head[from] !== 0x22)) return null;
  const rows = headRows(head, from, atEnd, delimiter);
  const names = rows[0];
  const second = rows[1];
  if (names === undefined) return null;
  const header = csvFields(head.subarray(names.start, names.end), delimiter);
  if (!readsLikeNames(header)) return null;
  if (second === undefined) {
    const alone = atEnd && names.end < head.length && header.every((name) => plainWord.test(name));
    return alone ? { header, delimiter, dataOffset: head.length } : null;
  }
  for (const row of rows.slice(1)) {
    if (csvFields(head.subarray(row.start, row.end), delimiter).length !== header.length) return null;
  }
  return { header, delimiter, dataOffset: second.start };
}

/** The first row's fields where they read like the names of a table's columns; null: it is no header. */
export function headerNames(head: Uint8Array, delimiter: string): readonly string[] | null {
  const from = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  const [first] = headRows(head, from, true, delimiter);
  if (first === undefined) return null;
  const header = csvFields(head.subarray(first.start, first.end), delimiter);
  return readsLikeNames(header) ? header : null;
}

interface Row {
  readonly start: number;
  readonly end: number;
}

function headRows(head: Uint8Array, from: number, atEnd: boolean, delimiter: string): Row[] {
  const rows: Row[] = [];
  let start = from;
  const finder = new CsvRows(
    {
      rowStart: (at) => {
        start = at;
      },
      rowEnd: (end) => {
        if (rows.length < rowsLooked) rows.push({ start, end });
      },
    },
    delimiter.charCodeAt(0),
    from,
  );
  finder.write(head, from, head.length);
  if (atEnd) finder.end();
  return rows;
}

function readsLikeNames(header: readonly string[]): boolean {
  if (header.length < 2 || header.length > maxColumns || new Set(header).size !== header.length) return false;
  return header.every((name) => {
    const words = name.trim().split(/\s+/);
    return (
      name.trim() !== '' &&
      name.length <= maxNameBytes &&
      words.length <= 5 &&
      !/^[\s"']*[-+]?[\d.]/.test(name) &&
      !/[.!?:{}[\]]\s*$/.test(name)
    );
  });
}
