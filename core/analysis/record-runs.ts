import { isUtf8 } from 'node:buffer';
import { RecordCarry } from '../scan/record-carry.ts';
import { recordSpans, type Span } from '../scan/record-spans.ts';
import type { ResultIndex } from '../store/result-index.ts';
import { recordLines } from './record-lines.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const comma = 0x2c;
const openBrace = 0x7b;
const blank = 0x20;

export interface LineSink {
  /** Whole lines of NDJSON, each with its end; may be kept, since nothing writes to them again. */
  lines(bytes: Uint8Array, records: number): void;
  /** A record wider than what is taken in, whose bytes are not there. */
  wide(bytes: number): void;
}

/**
 * The same lines as `recordLines` makes one by one, in runs as long as the piece allows: where JSON objects follow one
 * another, what stands between them is overwritten with a line end, and no record is copied. All else (a record that a
 * piece cuts, no object, NaN, bytes that are no UTF-8, a row of a table) goes the long way.
 */
export class RecordRuns {
  /** A value that JSON has no number for was marked: it is a text now, whatever its column is. */
  marked = false;
  /** Bytes of the longest line so far. */
  longest = 0;
  readonly #spans: ReturnType<typeof recordSpans>;
  readonly #carry: RecordCarry;
  readonly #sink: LineSink;
  readonly #line: (record: Uint8Array) => Uint8Array;
  readonly #whole: boolean;
  /** A line holds one record: no record holds a line feed. */
  readonly #byLine: boolean;
  #base: number;

  constructor(
    index: Pick<ResultIndex, 'kind' | 'path' | 'table'>,
    from: number,
    sink: LineSink,
    maxRecordBytes: number,
  ) {
    this.#spans = recordSpans(index, from);
    this.#line = recordLines(index);
    this.#sink = sink;
    this.#whole = index.table === null && index.kind !== 'text';
    this.#byLine = index.kind === 'ndjson';
    this.#base = from;
    const single = {
      record: (buffer: Uint8Array, start: number, end: number) => this.#single(buffer.subarray(start, end)),
      wide: (bytes: number) => sink.wide(bytes),
    };
    this.#carry = new RecordCarry(single, maxRecordBytes);
  }

  /** Takes the next piece of the body, and the piece itself: it is written over. False once the list has ended. */
  write(piece: Uint8Array): boolean {
    if (this.#spans.over) return false;
    const spans = this.#spans.write(piece);
    const { open } = this.#spans;
    this.#take(spans, piece);
    if (open < 0) this.#carry.drop();
    else if (open >= this.#base) this.#carry.begin(open);
    this.#carry.pieceEnd(piece, this.#base, piece.length);
    this.#base += piece.length;
    return !this.#spans.over;
  }

  /** The body is over. */
  end(): void {
    if (!this.#spans.over) this.#take(this.#spans.end(), new Uint8Array(0));
  }

  #take(spans: readonly Span[], piece: Uint8Array): void {
    const base = this.#base;
    // Both looked for once in the piece, not once a record.
    const flat = (this.#byLine || piece.indexOf(lineFeed) < 0) && piece.indexOf(carriageReturn) < 0;
    let first = 0;
    let last = 0;
    let records = 0;
    const flush = () => {
      if (records > 0) this.#run(piece, first, last, records);
      records = 0;
    };
    for (const { start, end, odd } of spans) {
      if (odd) this.marked = true;
      if (!this.#whole || odd || start < base || end > base + piece.length || piece[start - base] !== openBrace) {
        flush();
        if (start >= base) this.#carry.begin(start);
        this.#carry.end(piece, base, end, odd);
        continue;
      }
      if (records > 0 && !parted(piece, last, start - base)) flush();
      if (!flat) oneLine(piece, start - base, end - base);
      if (records === 0) first = start - base;
      last = end - base;
      if (end - start > this.longest) this.longest = end - start;
      records += 1;
    }
    flush();
  }

  #run(piece: Uint8Array, first: number, last: number, records: number): void {
    const run = piece.subarray(first, last);
    if (isUtf8(run)) {
      this.#sink.lines(run, records);
      this.#sink.lines(lineEnd, 0);
      return;
    }
    let at = first;
    while (at < last) {
      const end = piece.indexOf(lineFeed, at);
      const to = end < 0 || end > last ? last : end;
      this.#single(piece.subarray(at, to));
      at = to + 1;
    }
  }

  #single(record: Uint8Array): void {
    const line = this.#line(record);
    // The record's buffer is used again for the next one.
    if (line.length > this.longest) this.longest = line.length;
    const copy = Buffer.allocUnsafe(line.length + 1);
    copy.set(line, 0);
    copy[line.length] = lineFeed;
    this.#sink.lines(copy, 1);
  }
}

const lineEnd = Uint8Array.of(lineFeed);

/** Writes a line end over what stands between two records; false where that is more than a separator. */
function parted(piece: Uint8Array, from: number, to: number): boolean {
  let commas = 0;
  for (let at = from; at < to; at += 1) {
    const c = piece[at] as number;
    if (c === comma) commas += 1;
    else if (c > blank) return false;
  }
  if (to === from || commas > 1) return false;
  piece.fill(blank, from, to);
  piece[from] = lineFeed;
  return true;
}

/** Line ends inside a JSON value are white space only: inside strings they are escaped. */
function oneLine(piece: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to; at += 1) {
    const c = piece[at] as number;
    if (c === lineFeed || c === carriageReturn) piece[at] = blank;
  }
}
