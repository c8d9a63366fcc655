import { ByteStore } from './byte-store.ts';
import { markOddValues } from './odd-values.ts';
import type { RecordSink } from './record-sink.ts';

/** Hands whole records to a sink, out of the piece itself where it holds them whole, else put together over pieces. */
export class RecordCarry {
  readonly #store: ByteStore;
  readonly #sink: RecordSink;
  /** Offset of the open record's first byte, or -1. */
  #start = -1;
  #kept = 0;

  constructor(sink: RecordSink, maxRecordBytes: number) {
    this.#sink = sink;
    this.#store = new ByteStore(maxRecordBytes);
  }

  begin(start: number): void {
    this.#start = start;
    this.#kept = start;
    if (this.#store.length > 0) this.#store.clear();
    this.#store.overflowed = false;
  }

  /** Takes bytes of the open record that stood before the current piece. */
  prepend(bytes: Uint8Array, from: number, to: number): void {
    this.#store.append(bytes, from, to);
    this.#kept += to - from;
  }

  drop(): void {
    this.#start = -1;
  }

  /** `b` is the current piece, its first byte at offset `base`; `odd`: the record holds NaN or an infinity. */
  end(b: Uint8Array, base: number, end: number, odd: boolean): void {
    const start = this.#start;
    this.#start = -1;
    if (start >= base && this.#kept === start) {
      if (odd) this.#mark(b.subarray(start - base, end - base));
      else this.#sink.record(b, start - base, end - base);
      return;
    }
    this.#store.append(b, Math.max(this.#kept, base) - base, Math.max(end, base) - base);
    const length = end - start;
    if (this.#store.overflowed || this.#store.length < length) this.#sink.wide(length);
    // A value can be known to have ended only in the piece after it: what was kept may go past its end.
    else if (odd) this.#mark(this.#store.view().subarray(0, length));
    else this.#sink.record(this.#store.view(), 0, length);
  }

  /** The piece is about to be overwritten: keeps what it holds of the open record. */
  pieceEnd(b: Uint8Array, base: number, length: number): void {
    if (this.#start < 0) return;
    const from = Math.max(this.#kept - base, 0);
    if (from < length) this.#store.append(b, from, length);
    this.#kept = base + length;
  }

  #mark(record: Uint8Array): void {
    const marked = markOddValues(record);
    this.#sink.record(marked, 0, marked.length);
  }
}
