import type { ResultIndex } from '../store/result-index.ts';
import { CsvRows } from './csv-rows.ts';
import { type JsonEvents, JsonMachine } from './json-machine.ts';
import { LineEnds } from './line-ends.ts';
import { RecordCarry } from './record-carry.ts';
import { locateRecord } from './record-locator.ts';
import type { RecordSink } from './record-sink.ts';

type Walked = Pick<ResultIndex, 'kind' | 'path' | 'table'>;

/** Finds records in bytes that begin with one, and hands them whole to its carry. */
interface Walk {
  write(b: Uint8Array): void;
  end(): void;
  /** The list has ended. */
  readonly done: boolean;
}

/**
 * Hands out a result's records from one of them on, by the same rules by which the scanner counted them: malformed ones
 * are passed over, NaN and infinities come marked, a line comes without its end. `from` is the offset of the first byte
 * to come, where a record must start (`locateRecord`).
 */
export class RecordWalker {
  readonly #carry: RecordCarry;
  readonly #walk: Walk;
  readonly #piece: Piece;

  constructor(index: Walked, from: number, sink: RecordSink, maxRecordBytes = 1024 * 1024) {
    this.#carry = new RecordCarry(sink, maxRecordBytes);
    this.#piece = { bytes: nothing, base: from };
    if (index.table !== null) this.#walk = new RowWalk(this.#carry, this.#piece, index.table.delimiter);
    else if (index.kind === 'text') this.#walk = new LineWalk(this.#carry, this.#piece);
    else this.#walk = new JsonWalk(this.#carry, this.#piece, index.kind === 'ndjson', index.path === null);
  }

  /** False once the list has ended and nothing more is needed. */
  write(chunk: Uint8Array): boolean {
    if (this.#walk.done) return false;
    this.#piece.bytes = chunk;
    this.#walk.write(chunk);
    this.#carry.pieceEnd(chunk, this.#piece.base, chunk.length);
    this.#piece.base += chunk.length;
    return !this.#walk.done;
  }

  /** The body is over. */
  end(): void {
    this.#piece.bytes = nothing;
    this.#walk.end();
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

interface Piece {
  bytes: Uint8Array;
  /** Offset of its first byte. */
  base: number;
}
const nothing = new Uint8Array(0);
const pieceBytes = 64 * 1024;

class JsonWalk implements Walk, JsonEvents {
  done = false;
  readonly #carry: RecordCarry;
  readonly #piece: Piece;
  readonly #machine: JsonMachine;
  readonly #depth: number;
  readonly #lines: boolean;
  #odd = 0;
  #lineEnd = -1;

  constructor(carry: RecordCarry, piece: Piece, lines: boolean, document: boolean) {
    this.#carry = carry;
    this.#piece = piece;
    this.#lines = lines;
    this.#depth = lines || document ? 0 : 1;
    this.#machine = new JsonMachine(this, { lines, watch: 0, base: piece.base });
    if (this.#depth === 1) this.#machine.resumeInList();
  }

  write(b: Uint8Array): void {
    this.#machine.write(b, 0, b.length);
  }

  end(): void {
    if (!this.done) this.#machine.end();
  }

  valueStart(at: number, depth: number): void {
    if (depth !== this.#depth || this.done) return;
    this.#odd = this.#machine.odd;
    this.#carry.begin(at);
  }

  valueEnd(end: number, depth: number, bad: boolean): void {
    if (depth < this.#depth) this.done = true;
    if (this.done) return;
    if (bad) this.#carry.drop();
    else if (this.#lines) this.#lineEnd = end;
    else this.#take(end);
  }

  lineEnd(): void {
    this.#take(this.#lineEnd);
  }

  keyPiece(): void {}

  trailing(): void {
    this.done = true;
  }

  #take(end: number): void {
    this.#carry.end(this.#piece.bytes, this.#piece.base, end, this.#machine.odd > this.#odd);
  }
}

class RowWalk implements Walk {
  readonly done = false;
  readonly #rows: CsvRows;

  constructor(carry: RecordCarry, piece: Piece, delimiter: string) {
    this.#rows = new CsvRows(
      {
        rowStart: (at) => carry.begin(at),
        rowEnd: (end) => carry.end(piece.bytes, piece.base, end, false),
      },
      delimiter.charCodeAt(0),
      piece.base,
    );
  }

  write(b: Uint8Array): void {
    this.#rows.write(b, 0, b.length);
  }

  end(): void {
    this.#rows.end();
  }
}

class LineWalk implements Walk {
  readonly done = false;
  readonly #lines: LineEnds;

  constructor(carry: RecordCarry, piece: Piece) {
    this.#lines = new LineEnds(
      (at) => carry.begin(at),
      (end) => carry.end(piece.bytes, piece.base, end, false),
      piece.base,
    );
  }

  write(b: Uint8Array): void {
    this.#lines.write(b, 0, b.length);
  }

  end(): void {
    this.#lines.end();
  }
}
