import type { ResultIndex } from '../store/result-index.ts';
import { RecordCarry } from './record-carry.ts';
import { locateRecord } from './record-locator.ts';
import type { RecordSink } from './record-sink.ts';
import { type RecordSpans, recordSpans, type Span } from './record-spans.ts';

/**
 * Hands out a result's records from one of them on (`recordSpans`), whole: NaN and infinities come marked, a line comes
 * without its end. `from` is the offset of the first byte to come, where a record must start (`locateRecord`).
 */
export class RecordWalker {
  readonly #spans: RecordSpans;
  readonly #carry: RecordCarry;
  #base: number;

  constructor(
    index: Pick<ResultIndex, 'kind' | 'path' | 'table'>,
    from: number,
    sink: RecordSink,
    maxRecordBytes = 1024 * 1024,
  ) {
    this.#spans = recordSpans(index, from);
    this.#carry = new RecordCarry(sink, maxRecordBytes);
    this.#base = from;
  }

  /** False once the list has ended and nothing more is needed. */
  write(chunk: Uint8Array): boolean {
    if (this.#spans.over) return false;
    this.#take(this.#spans.write(chunk), chunk);
    const { open } = this.#spans;
    if (open < 0) this.#carry.drop();
    else if (open >= this.#base) this.#carry.begin(open);
    this.#carry.pieceEnd(chunk, this.#base, chunk.length);
    this.#base += chunk.length;
    return !this.#spans.over;
  }

  /** The body is over. */
  end(): void {
    this.#take(this.#spans.end(), nothing);
  }

  #take(spans: readonly Span[], chunk: Uint8Array): void {
    for (const { start, end, odd } of spans) {
      // What started before this piece is with the carry already.
      if (start >= this.#base) this.#carry.begin(start);
      this.#carry.end(chunk, this.#base, end, odd);
    }
  }
}

/** Every record of a whole body, from its first byte to its last; each valid until the next is asked for. */
export async function* walkRecords(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  index: Pick<ResultIndex, 'kind' | 'path' | 'table' | 'chunks' | 'records' | 'bytes'>,
  options: { readonly maxRecordBytes?: number } = {},
): AsyncGenerator<Uint8Array | { readonly wideBytes: number }> {
  const first = locateRecord(index, 0);
  if (first === null) return;
  let batch: (Uint8Array | { readonly wideBytes: number })[] = [];
  let piece: Uint8Array = nothing;
  const sink: RecordSink = {
    record: (buffer, start, end) => {
      // What is not in the piece itself is about to be overwritten.
      batch.push(buffer === piece ? buffer.subarray(start, end) : new Uint8Array(buffer.subarray(start, end)));
    },
    wide: (bytes) => {
      batch.push({ wideBytes: bytes });
    },
  };
  const walker = new RecordWalker(index, first.recordStart, sink, options.maxRecordBytes);
  let skip = first.recordStart;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const end = Math.min(chunk.length, at + pieceBytes);
      const passed = Math.min(skip, end - at);
      skip -= passed;
      piece = chunk.subarray(at + passed, end);
      if (piece.length === 0) continue;
      const more = walker.write(piece);
      yield* batch;
      batch = [];
      if (!more) return;
    }
  }
  walker.end();
  yield* batch;
}

const nothing = new Uint8Array(0);
const pieceBytes = 64 * 1024;
