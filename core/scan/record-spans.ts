import type { ResultIndex } from '../store/result-index.ts';
import { CsvRows } from './csv-rows.ts';
import { type JsonEvents, JsonMachine } from './json-machine.ts';
import { LineEnds } from './line-ends.ts';

/** Where one whole record lies in the body. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Behind what ends it: a line of text with its line end; elsewhere the same as `end`. */
  readonly past: number;
  /** It holds NaN or an infinity. */
  readonly odd: boolean;
}

/**
 * Finds a result's records from one of them on, by the same rules by which the scanner counted them: malformed ones are
 * passed over.
 */
export interface RecordSpans {
  /** Records that ended in this piece, in order. */
  write(piece: Uint8Array): readonly Span[];
  /** The body is over. */
  end(): readonly Span[];
  /** Offset of the record that is open, or -1. */
  readonly open: number;
  /** The list has ended: nothing more comes. */
  readonly over: boolean;
}

/** `from`: offset of the first byte to come, which is where a record starts (`locateRecord`). */
export function recordSpans(index: Pick<ResultIndex, 'kind' | 'path' | 'table'>, from: number): RecordSpans {
  if (index.table !== null) return new RowSpans(from, index.table.delimiter);
  if (index.kind === 'text') return new LineSpans(from);
  return new JsonSpans(from, index.kind === 'ndjson' ? 'lines' : index.path === null ? 'document' : 'list');
}

class JsonSpans implements RecordSpans, JsonEvents {
  open = -1;
  over = false;
  readonly #machine: JsonMachine;
  readonly #shape: 'lines' | 'list' | 'document';
  readonly #depth: number;
  #spans: Span[] = [];
  #lineValueEnd = -1;
  #odd = 0;

  constructor(from: number, shape: 'lines' | 'list' | 'document') {
    this.#machine = new JsonMachine(this, { lines: shape === 'lines', watch: 0, base: from });
    this.#shape = shape;
    this.#depth = shape === 'list' ? 1 : 0;
    if (shape === 'list') this.#machine.resumeInList();
  }

  write(piece: Uint8Array): readonly Span[] {
    if (!this.over) this.#machine.write(piece, 0, piece.length);
    return this.#taken();
  }

  end(): readonly Span[] {
    if (!this.over) this.#machine.end();
    return this.#taken();
  }

  valueStart(at: number, depth: number): void {
    if (depth !== this.#depth || this.over) return;
    this.open = at;
    this.#odd = this.#machine.odd;
  }

  valueEnd(end: number, depth: number, bad: boolean): void {
    if (depth < this.#depth) this.over = true;
    if (depth !== this.#depth || this.over || this.open < 0) return;
    if (this.#shape === 'lines') {
      this.#lineValueEnd = bad ? -1 : end;
      return;
    }
    if (!bad) this.#found(end);
    this.open = -1;
  }

  /** A line counts once nothing but its end follows the value. */
  lineEnd(): void {
    if (this.open >= 0 && this.#lineValueEnd >= 0) this.#found(this.#lineValueEnd);
    this.open = -1;
  }

  keyPiece(): void {}

  trailing(): void {
    this.over = true;
  }

  #found(end: number): void {
    this.#spans.push({ start: this.open, end, past: end, odd: this.#machine.odd > this.#odd });
  }

  #taken(): readonly Span[] {
    const spans = this.#spans;
    this.#spans = [];
    return spans;
  }
}

class RowSpans implements RecordSpans {
  open = -1;
  readonly over = false;
  readonly #rows: CsvRows;
  #spans: Span[] = [];

  constructor(from: number, delimiter: string) {
    this.#rows = new CsvRows(
      {
        rowStart: (at) => {
          this.open = at;
        },
        rowEnd: (end) => {
          this.#spans.push({ start: this.open, end, past: end, odd: false });
          this.open = -1;
        },
      },
      delimiter.charCodeAt(0),
      from,
    );
  }

  write(piece: Uint8Array): readonly Span[] {
    this.#rows.write(piece, 0, piece.length);
    return this.#taken();
  }

  end(): readonly Span[] {
    this.#rows.end();
    return this.#taken();
  }

  #taken(): readonly Span[] {
    const spans = this.#spans;
    this.#spans = [];
    return spans;
  }
}

class LineSpans implements RecordSpans {
  open = -1;
  readonly over = false;
  readonly #lines: LineEnds;
  #spans: Span[] = [];

  constructor(from: number) {
    this.#lines = new LineEnds(
      (at) => {
        this.open = at;
      },
      (end, past) => {
        this.#spans.push({ start: this.open, end, past, odd: false });
        this.open = -1;
      },
      from,
    );
  }

  write(piece: Uint8Array): readonly Span[] {
    this.#lines.write(piece, 0, piece.length);
    return this.#taken();
  }

  end(): readonly Span[] {
    this.#lines.end();
    return this.#taken();
  }

  #taken(): readonly Span[] {
    const spans = this.#spans;
    this.#spans = [];
    return spans;
  }
}
