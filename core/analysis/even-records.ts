import { recordSpans, type Span } from '../scan/record-spans.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { LineSink } from './record-runs.ts';

const lineFeed = 0x0a;
const blank = 0x20;
const quote = 0x22;
const openBrace = 0x7b;
const closeBrace = 0x7d;
/** Longest text between two records, their braces and the first quote included. */
const longestBetween = 16;
/** Most bytes behind the start of a record in which no other one starts. */
const mostOpen = 16 * 1024 * 1024;

/** What stands between two records is not everywhere the same: they are to be read the long way. */
export class UnevenRecords extends Error {}

/**
 * Flat records that one program wrote one after another, told apart by what stands between the first two of them, which
 * is all that is looked for: several times as fast as reading their values. It is for bodies whose index says that
 * nothing is lost and whose records are all flat and never empty; then what is found is outside of every text.
 *
 * Whoever takes the lines must refuse one that is not a whole JSON value. Records are told apart wrongly only if a line
 * is none: no beginning of a JSON object is a JSON object.
 */
export class EvenRecords {
  /** Bytes of the longest line so far. */
  longest = 0;
  readonly #index: Pick<ResultIndex, 'kind' | 'path' | 'table'>;
  readonly #sink: Pick<LineSink, 'lines'>;
  readonly #between: Buffer;
  /** Offset in `#between` of the second record's brace. */
  readonly #brace: number;
  /** What is looked for first: the end of a record, or of a line where every line end stands between two records. */
  readonly #sought: number;
  /** Offset in `#between` of what is looked for. */
  readonly #ahead: number;
  /** A line of the open record has ended; another record behind it would be one that was not seen. */
  #lineEnded = false;
  /** Pieces since the start of the open record. */
  #open: Uint8Array[] = [];
  #openBytes = 0;
  #last: Uint8Array = new Uint8Array(0);

  private constructor(
    index: Pick<ResultIndex, 'kind' | 'path' | 'table'>,
    between: Buffer,
    sink: Pick<LineSink, 'lines'>,
  ) {
    this.#index = index;
    this.#sink = sink;
    this.#between = between;
    this.#brace = between.lastIndexOf(openBrace);
    this.#sought = index.kind === 'ndjson' ? lineFeed : closeBrace;
    this.#ahead = between.indexOf(this.#sought);
  }

  /** `head` starts with the first record; `spans`: the records in it. Null where they are not what this is made for. */
  static of(
    index: Pick<ResultIndex, 'kind' | 'path' | 'table'>,
    head: Uint8Array,
    spans: readonly Span[],
    sink: Pick<LineSink, 'lines'>,
  ): EvenRecords | null {
    if (index.table !== null || index.kind === 'text' || index.path === null) return null;
    const [first, second] = spans;
    if (first === undefined || second === undefined) return null;
    const from = first.end - 1;
    const to = head.indexOf(quote, second.start) + 1;
    if (head[from] !== closeBrace || head[second.start] !== openBrace || to === 0) return null;
    const between = Buffer.from(head.subarray(from, to));
    // An empty record stands between them too; it would be written over.
    if (between.length > longestBetween || !/^\}[\s,]*\{\s*"$/.test(between.toString('latin1'))) return null;
    // A line holds a whole record: none may hold a line end, as those written for people do.
    if (between.includes(lineFeed) !== (index.kind === 'ndjson')) return null;
    if (head.subarray(0, from).includes(lineFeed)) return null;
    return new EvenRecords(index, between, sink);
  }

  /** Takes the next piece, and the piece itself: it is written over. Throws `UnevenRecords`. */
  write(bytes: Uint8Array): void {
    let piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (this.#index.kind !== 'ndjson' && piece.includes(lineFeed)) throw new UnevenRecords('a line end in a record');
    const open = this.#open.at(-1);
    if (open !== undefined && Math.min(piece.length, this.#last.length) < longestBetween) {
      // Too short to be looked at by itself.
      this.#open.pop();
      this.#openBytes -= open.length;
      piece = Buffer.concat([open, piece]);
      this.#last = piece;
    } else {
      const start = this.#across(piece);
      this.#last = piece;
      if (start > 0) piece = piece.subarray(start);
    }
    this.#within(piece);
    if (this.#openBytes > mostOpen) throw new UnevenRecords('no record starts');
  }

  /** The body is over. */
  end(): void {
    const tail = Buffer.concat(this.#open);
    const spans = recordSpans(this.#index, 0);
    const [last, ...more] = [...spans.write(tail), ...spans.end()];
    const whole = last?.start === 0 && more.length === 0 && (spans.over || this.#index.kind === 'ndjson');
    if (last === undefined || !whole) throw new UnevenRecords('the last record does not end the list');
    if (last.end > this.longest) this.longest = last.end;
    this.#sink.lines(tail.subarray(0, last.end), 1);
    this.#sink.lines(Uint8Array.of(lineFeed), 0);
  }

  /** Takes what stands between two records half in the last piece. Answers where in the new one a record starts, or 0. */
  #across(piece: Buffer): number {
    const half = Math.min(this.#between.length - 1, this.#last.length);
    const last = this.#last.subarray(this.#last.length - half);
    const both = Buffer.concat([last, piece.subarray(0, half)]);
    const at = both.indexOf(this.#between);
    if (at < 0) {
      if (this.#sought === lineFeed && last.subarray(-this.#openBytes).includes(lineFeed)) this.#lineEnded = true;
      return 0;
    }
    const start = at + this.#brace;
    this.#endLine(both, at);
    last.set(both.subarray(0, half));
    piece.set(both.subarray(half));
    this.longest = Math.max(this.longest, this.#openBytes + Math.max(0, start - half));
    const open = this.#open.pop() ?? this.#last;
    const whole = start < half ? open.subarray(0, open.length - half + start) : open;
    this.#handOver([...this.#open, whole, piece.subarray(0, Math.max(0, start - half))], 1);
    this.#open = start < half ? [open.subarray(open.length - half + start)] : [];
    this.#openBytes = Math.max(0, half - start);
    return Math.max(0, start - half);
  }

  /** Looks for records that start within the piece, and hands over all that end in it. */
  #within(piece: Buffer): void {
    const between = this.#between;
    const brace = this.#brace;
    let records = 0;
    let from = -this.#openBytes;
    const sought = this.#sought;
    const last = piece.length - between.length;
    // Node looks for one byte several times as fast as for some.
    for (let found = piece.indexOf(sought), next = 0; found >= 0; found = piece.indexOf(sought, next)) {
      next = found + 1;
      const at = found - this.#ahead;
      // The rest of it comes with the next piece.
      if (at > last) break;
      let same = 0;
      while (same < between.length && piece[at + same] === between[same]) same += 1;
      if (same < between.length) {
        if (sought === lineFeed) this.#lineEnded = true;
        continue;
      }
      this.#endLine(piece, at);
      if (at + 1 - from > this.longest) this.longest = at + 1 - from;
      records += 1;
      from = at + brace;
      next = from;
    }
    if (records > 0) this.#handOver([...this.#open, piece.subarray(0, from)], records);
    const open = records > 0 ? piece.subarray(from) : piece;
    this.#open = records > 0 ? [open] : [...this.#open, open];
    this.#openBytes = records > 0 ? open.length : this.#openBytes + open.length;
  }

  /** Writes a line end over what stands between two records. */
  #endLine(bytes: Buffer, at: number): void {
    if (this.#lineEnded) throw new UnevenRecords('another line end');
    const end = at + this.#brace - 1;
    if (end > at + 1) bytes.fill(blank, at + 1, end);
    bytes[end] = lineFeed;
  }

  #handOver(pieces: readonly Uint8Array[], records: number): void {
    for (const piece of pieces.slice(0, -1)) this.#sink.lines(piece, 0);
    const last = pieces.at(-1);
    if (last !== undefined) this.#sink.lines(last, records);
  }
}
