import { CsvRows } from '../scan/csv-rows.ts';
import { type JsonEvents, JsonMachine } from '../scan/json-machine.ts';
import type { ResultIndex } from '../store/result-index.ts';

/** Where one whole record lies in the body: `[start, end)`. A line of text holds its own line end. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds the records of a stored copy from one of them on, by the same rules by which they were counted. */
export interface SpanWalker {
  /** Records that ended in this piece, in order. */
  write(piece: Uint8Array): readonly Span[];
  /** The body is over. */
  end(): readonly Span[];
  /** Offset of the record that is open, or -1. */
  readonly open: number;
}

/** `from`: offset of the first byte to come, which is where a record starts. */
export function spanWalker(index: Pick<ResultIndex, 'kind' | 'path' | 'table'>, from: number): SpanWalker {
  if (index.table !== null) return new RowWalker(from, index.table.delimiter);
  if (index.kind === 'text') return new LineWalker(from);
  return new JsonWalker(from, index.kind === 'ndjson' ? 'lines' : index.path === null ? 'document' : 'list');
}

class JsonWalker implements SpanWalker, JsonEvents {
  open = -1;
  readonly #machine: JsonMachine;
  readonly #shape: 'lines' | 'list' | 'document';
  readonly #depth: number;
  #spans: Span[] = [];
  #lineValueEnd = -1;
  #over = false;

  constructor(from: number, shape: 'lines' | 'list' | 'document') {
    this.#machine = new JsonMachine(this, { lines: shape === 'lines', watch: 0, base: from });
    this.#shape = shape;
    this.#depth = shape === 'list' ? 1 : 0;
    if (shape === 'list') this.#machine.resumeInList();
  }

  write(piece: Uint8Array): readonly Span[] {
    if (!this.#over) this.#machine.write(piece, 0, piece.length);
    return this.#taken();
  }

  end(): readonly Span[] {
    if (!this.#over) this.#machine.end();
    return this.#taken();
  }

  valueStart(at: number, depth: number): void {
    if (depth === this.#depth && !this.#over) this.open = at;
  }

  valueEnd(end: number, depth: number, bad: boolean): void {
    if (depth < this.#depth) this.#over = true;
    if (depth !== this.#depth || this.#over || this.open < 0) return;
    if (this.#shape === 'lines') {
      this.#lineValueEnd = bad ? -1 : end;
      return;
    }
    if (!bad) this.#spans.push({ start: this.open, end });
    this.open = -1;
  }

  /** A line counts once nothing but its end follows the value. */
  lineEnd(): void {
    if (this.open >= 0 && this.#lineValueEnd >= 0) this.#spans.push({ start: this.open, end: this.#lineValueEnd });
    this.open = -1;
  }

  keyPiece(): void {}

  trailing(): void {
    this.#over = true;
  }

  #taken(): readonly Span[] {
    const spans = this.#spans;
    this.#spans = [];
    return spans;
  }
}

class RowWalker implements SpanWalker {
  open = -1;
  readonly #rows: CsvRows;
  #spans: Span[] = [];

  constructor(from: number, delimiter: string) {
    this.#rows = new CsvRows(
      {
        rowStart: (at) => {
          this.open = at;
        },
        rowEnd: (end) => {
          this.#spans.push({ start: this.open, end });
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

class LineWalker implements SpanWalker {
  open = -1;
  #at: number;

  constructor(from: number) {
    this.#at = from;
  }

  write(piece: Uint8Array): readonly Span[] {
    const spans: Span[] = [];
    let from = 0;
    while (from < piece.length) {
      if (this.open < 0) this.open = this.#at + from;
      const found = piece.indexOf(0x0a, from);
      if (found < 0) break;
      from = found + 1;
      spans.push({ start: this.open, end: this.#at + from });
      this.open = -1;
    }
    this.#at += piece.length;
    return spans;
  }

  end(): readonly Span[] {
    if (this.open < 0) return [];
    const span = { start: this.open, end: this.#at };
    this.open = -1;
    return [span];
  }
}
