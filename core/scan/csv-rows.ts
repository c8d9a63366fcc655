import { plainBytes } from './plain-bytes.ts';

/** Gets each row of a delimited text: offsets of its first byte and past its last, line terminator excluded. */
export interface CsvRowEvents {
  rowStart(at: number): void;
  /** `fields`: how many the row has. */
  rowEnd(end: number, fields: number): void;
}

const between = 0;
const unquoted = 1;
const fieldStart = 2;
const quoted = 3;
const quoteInQuoted = 4;

/**
 * Finds the rows of RFC 4180 text in pieces cut anywhere: a quoted field may hold delimiters, line ends and doubled
 * quotes; LF, CRLF and CR end a row elsewhere; blank lines are no rows.
 */
export class CsvRows {
  /** Offset of the next byte. */
  base: number;
  readonly #events: CsvRowEvents;
  readonly #delimiter: number;
  #state = between;
  #fields = 0;

  constructor(events: CsvRowEvents, delimiter: number, base: number) {
    this.#events = events;
    this.#delimiter = delimiter;
    this.base = base;
  }

  write(piece: Uint8Array, from: number, to: number): void {
    const b = plainBytes(piece);
    const base = this.base - from;
    const delimiter = this.#delimiter;
    let state = this.#state;
    let i = from;
    while (i < to) {
      const c = b[i] as number;
      if (state === quoted) {
        const found = b.indexOf(0x22, i);
        if (found < 0 || found >= to) break;
        i = found + 1;
        state = quoteInQuoted;
        continue;
      }
      if (state === between) {
        if (c === 0x0a || c === 0x0d) {
          i++;
          continue;
        }
        this.#events.rowStart(base + i);
        state = fieldStart;
        this.#fields = 1;
      }
      if (state === quoteInQuoted && c === 0x22) state = quoted;
      else if (c === 0x0a || c === 0x0d) {
        this.#events.rowEnd(base + i, this.#fields);
        state = between;
      } else if (c === delimiter) {
        state = fieldStart;
        this.#fields += 1;
      } else if (c === 0x22 && state === fieldStart) state = quoted;
      else {
        state = unquoted;
        i++;
        while (i < to && b[i] !== delimiter && b[i] !== 0x0a && b[i] !== 0x0d) i++;
        continue;
      }
      i++;
    }
    this.#state = state;
    this.base += to - from;
  }

  /** The bytes are over. False: inside a quoted field. */
  end(): boolean {
    const state = this.#state;
    if (state === between) return true;
    if (state === quoted) return false;
    this.#events.rowEnd(this.base, this.#fields);
    this.#state = between;
    return true;
  }
}

/** The fields of one row, quotes read. */
export function csvFields(row: Uint8Array, delimiter: string): string[] {
  const text = Buffer.from(row.buffer, row.byteOffset, row.length).toString();
  const fields: string[] = [];
  let i = 0;
  for (;;) {
    let field = '';
    if (text[i] === '"') {
      i++;
      for (;;) {
        const next = text.indexOf('"', i);
        field += text.slice(i, next < 0 ? undefined : next);
        i = next < 0 ? text.length : next + 1;
        if (text[i] !== '"') break;
        field += '"';
        i++;
      }
    }
    const next = text.indexOf(delimiter, i);
    field += text.slice(i, next < 0 ? undefined : next);
    fields.push(field);
    if (next < 0) return fields;
    i = next + 1;
  }
}
