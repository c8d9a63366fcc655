import { ByteStore } from './byte-store.ts';
import { ChunkIndex } from './chunk-index.ts';
import { chunkOf, chunkStart } from './chunk-schedule.ts';
import { RecordCarry } from './record-carry.ts';
import type { RecordSink } from './record-sink.ts';

/** The first records of a list as a preview needs them: bytes from `open` on, and where whole records lie in them. */
export interface ListHead {
  /** Offset of the list's first byte: `[`, or the first record's line. */
  readonly open: number;
  /** Bytes from `open` on, as many as were asked for. */
  readonly bytes: Uint8Array;
  /** Offsets of whole records inside `bytes`, relative to `open`: start, end, start, end, … */
  readonly spans: readonly number[];
  /** Numbers of records among them that hold NaN or an infinity. */
  readonly odd: ReadonlySet<number>;
  /** Numbers of records among them with something malformed left out just before. */
  readonly gaps: ReadonlySet<number>;
  /** Bytes of the first record; 0 when there is none. */
  readonly firstRecordBytes: number;
  /** Offset of the first record, relative to `open`; -1 when there is none. */
  readonly firstRecordAt: number;
}

/** Keeps the books of one list while its records come by: index, head for the preview, records for the profile. */
export class ListCollector {
  readonly index = new ChunkIndex();
  readonly open: number;
  readonly sink: RecordSink | null;
  /** Malformed records, and the offset of the first. */
  bad = 0;
  firstBad = -1;
  /** Records that hold NaN or an infinity. */
  oddRecords = 0;
  /** A line feed stood between tokens of a record that the sink read by itself. */
  sawLineFeed = false;
  readonly #head: ByteStore;
  readonly #inHand: Uint8Array | undefined;
  readonly #headBytes: number;
  readonly #spans: number[] = [];
  readonly #odd = new Set<number>();
  readonly #gaps = new Set<number>();
  readonly #carry: RecordCarry | null;
  #captured: number;
  /** Offset of the first byte that the sink may be let read by itself. */
  #runFrom: number;
  #start = -1;
  #gap = false;
  #firstRecordBytes = 0;
  #firstRecordAt = -1;

  /** `inHand`: the body's first bytes where they stay at hand anyway; then nothing is copied. */
  constructor(
    open: number,
    options: { readonly headBytes: number; readonly maxRecordBytes: number; readonly inHand?: Uint8Array | undefined },
    sink: RecordSink | null,
  ) {
    this.open = open;
    this.sink = sink;
    this.#captured = open;
    this.#runFrom = sink?.run === undefined ? Number.POSITIVE_INFINITY : open + options.headBytes + 1;
    this.#headBytes = options.headBytes;
    this.#inHand = options.inHand;
    this.#head = new ByteStore(options.inHand === undefined ? options.headBytes : 0);
    this.#carry = sink === null ? null : new RecordCarry(sink, options.maxRecordBytes);
  }

  /** Takes bytes from `open` on that stood before the current piece; `gapless`: all of them. */
  backfill(bytes: Uint8Array, gapless: boolean): void {
    this.#head.append(bytes, 0, bytes.length);
    this.#captured = gapless ? this.open + bytes.length : Number.POSITIVE_INFINITY;
  }

  begin(start: number): void {
    this.#start = start;
    if (this.#firstRecordAt < 0) this.#firstRecordAt = start - this.open;
    if (this.#carry !== null) this.#carry.begin(start);
  }

  /** The open record's own bytes that stood before the current piece. */
  prepend(bytes: Uint8Array): void {
    this.#carry?.prepend(bytes, 0, bytes.length);
  }

  end(b: Uint8Array, base: number, end: number, odd: boolean): void {
    const start = this.#start;
    this.#start = -1;
    if (this.#carry !== null) this.#carry.end(b, base, end, odd);
    const number = this.index.records;
    if (number === 0) {
      this.#firstRecordBytes = end - start;
      this.#firstRecordAt = start - this.open;
    }
    this.index.add(start);
    if (odd) this.oddRecords += 1;
    if (end - this.open <= this.#headBytes) {
      this.#spans.push(start - this.open, end - this.open);
      if (odd) this.#odd.add(number);
      if (this.#gap) this.#gaps.add(number);
      this.#gap = false;
    }
  }

  /**
   * Lets the sink read whole records of `b[from, to)` by itself, from where one would start. Answers where it stopped,
   * which is `from` where the sink cannot or where records are still wanted one by one, for the preview.
   */
  run(b: Uint8Array, base: number, from: number, to: number, lines: boolean): number {
    const { sink, index } = this;
    if (index.records === 0) return from;
    let at = from;
    while (at < to && base + at >= this.#runFrom) {
      // A run starts in one chunk, so that the index is told of every chunk's first record.
      const stop = Math.min(to, chunkStart(chunkOf(base + at) + 1) - base);
      const run = sink?.run?.(b, base, at, to, stop, lines) ?? null;
      this.#runFrom = run === null ? Number.POSITIVE_INFINITY : run.restUntil;
      if (run === null || run.count === 0) break;
      index.addRun(run.firstStart, run.count);
      if (run.sawLineFeed) this.sawLineFeed = true;
      at = run.end;
      if (at < stop) break;
    }
    return at;
  }

  /** The open record, or what stood at `at` in its place, is malformed: left out, counted. */
  spoil(at: number): void {
    if (this.firstBad < 0) this.firstBad = this.#start < 0 ? at : this.#start;
    this.bad += 1;
    this.#gap = true;
    this.#start = -1;
    this.#carry?.drop();
  }

  /** Before the piece is overwritten, and once at the end. */
  pieceEnd(b: Uint8Array, base: number, length: number): void {
    this.#carry?.pieceEnd(b, base, length);
    if (this.#head.full) return;
    const from = Math.max(this.#captured - base, 0);
    if (from >= length) return;
    this.#head.append(b, from, length);
    this.#captured = base + length;
  }

  head(): ListHead {
    const inHand = this.#inHand;
    const bytes = inHand === undefined ? this.#head.view() : inHand.subarray(this.open, this.open + this.#headBytes);
    while (this.#spans.length > 0 && (this.#spans.at(-1) as number) > bytes.length) this.#spans.length -= 2;
    return {
      open: this.open,
      bytes,
      spans: this.#spans,
      odd: this.#odd,
      gaps: this.#gaps,
      firstRecordBytes: this.#firstRecordBytes,
      firstRecordAt: this.#firstRecordAt,
    };
  }
}
