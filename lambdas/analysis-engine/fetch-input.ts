import type { EngineInput } from '../../core/analysis/engine.ts';
import { EvenRecords } from '../../core/analysis/even-records.ts';
import { type PlannedColumn, plannedColumns } from '../../core/analysis/planned-columns.ts';
import { RecordRuns } from '../../core/analysis/record-runs.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import { recordSpans, type Span } from '../../core/scan/record-spans.ts';
import { isCheckedByChunk, readChecked } from './checked-body.ts';
import { type BodyReader, readBody } from './read-body.ts';
import { defaultSliceBytes, RecordFiles, type Slice } from './record-files.ts';

/** Widest record that is taken in; a wider one is refused, since leaving it out would falsify every count. */
const maxRecordBytes = 16 * 1024 * 1024;
/** Bytes by which it is decided how all others are read, and of which the records are looked into. */
const headBytes = 64 * 1024;
const firstBytes = 16 * 1024;

export interface FetchedInput {
  /** Every record once, in order; the lines of a file end in it. */
  readonly files: readonly string[];
  readonly records: number;
  /** Bytes of the longest line. */
  readonly longest: number;
  /** All columns, where they are known ahead: then the records came in slices. */
  readonly columns: readonly PlannedColumn[] | null;
  /** Records were told apart by what stands between them (`EvenRecords`). */
  readonly even: boolean;
}

/** Told of each slice as soon as it is there: every byte of it was found right, others are still to come. */
export type SliceSink = (slice: Slice, columns: readonly PlannedColumn[], longest: number) => void;

/**
 * Fetches one input and writes its records as NDJSON: to `file`, or, with a `sink`, columns that are known ahead and
 * digests of its chunks, to slices beside it. When it is done, the whole body was found right; nobody may answer from a
 * slice, or read `file`, before. Throws `StorageUnavailable` when the body cannot be had or is not the one that was asked
 * for, `AnalysisLimit` for a record that is too wide, `UnevenRecords` where slices are to be thrown away and the body
 * read without a `sink`.
 */
export async function fetchInput(
  input: EngineInput,
  file: string,
  signal: AbortSignal,
  sink: SliceSink | null = null,
  read: BodyReader = readBody,
  sliceBytes = defaultSliceBytes,
): Promise<FetchedInput> {
  const ahead = isCheckedByChunk(input) ? sink : null;
  let lines: InputLines | null = null;
  let head: Uint8Array[] = [];
  let gathered = 0;
  let skip = input.recordStart ?? input.bytes;
  const begin = (): InputLines => {
    lines = new InputLines(input, file, ahead, sliceBytes, Buffer.concat(head));
    head = [];
    return lines;
  };
  try {
    await readChecked(input, signal, read, (piece) => {
      const passed = Math.min(skip, piece.length);
      skip -= passed;
      if (passed === piece.length) return;
      const rest = piece.subarray(passed);
      if (lines !== null) lines.write(rest);
      else {
        head.push(rest);
        gathered += rest.length;
        if (gathered >= headBytes) begin();
      }
    });
    return (lines ?? begin()).end();
  } finally {
    (lines as InputLines | null)?.close();
  }
}

/** The records of one input on their way from its bytes to files, in the fastest way that its first bytes allow. */
class InputLines {
  readonly #files: RecordFiles;
  readonly #columns: readonly PlannedColumn[] | null;
  readonly #even: EvenRecords | null;
  readonly #runs: RecordRuns | null;
  #more = true;

  /** `head`: the first bytes from the first record on; written over. */
  constructor(input: EngineInput, file: string, sink: SliceSink | null, sliceBytes: number, head: Uint8Array) {
    const some = head.subarray(0, firstBytes);
    const columns = sink === null || head.length < headBytes ? null : columnsOf(input, some);
    this.#columns = columns?.planned ?? null;
    this.#files = new RecordFiles(
      file,
      sink === null || columns === null ? null : (slice) => sink(slice, columns.planned, this.#longest),
      sliceBytes,
    );
    const lines = (bytes: Uint8Array, records: number) => this.#files.lines(bytes, records);
    const wide = (bytes: number) => {
      throw new ClaimcheckError(
        'AnalysisLimit',
        `${input.name}: record ${this.#files.records} has ${bytes} bytes, at most ${maxRecordBytes} can be analysed`,
      );
    };
    this.#even = columns === null ? null : EvenRecords.of(input, some, columns.spans, { lines });
    const long = this.#even === null && input.recordStart !== null;
    this.#runs = long ? new RecordRuns(input, input.recordStart ?? 0, { lines, wide }, maxRecordBytes) : null;
    this.#take(head);
  }

  write(piece: Uint8Array): void {
    this.#take(piece);
    this.#files.flushIfFull();
  }

  end(): FetchedInput {
    if (this.#even !== null) this.#even.end();
    else if (this.#more) this.#runs?.end();
    this.#files.end();
    return {
      files: this.#files.files,
      records: this.#files.records,
      longest: this.#longest,
      columns: this.#columns,
      even: this.#even !== null,
    };
  }

  close(): void {
    this.#files.close();
  }

  get #longest(): number {
    return this.#even?.longest ?? this.#runs?.longest ?? 0;
  }

  #take(piece: Uint8Array): void {
    if (this.#even !== null) this.#even.write(piece);
    else if (this.#more) this.#more = this.#runs?.write(piece) ?? false;
  }
}

/** What is known of the columns, and where the first records lie. */
function columnsOf(
  input: EngineInput,
  head: Uint8Array,
): { readonly planned: readonly PlannedColumn[]; readonly spans: readonly Span[] } | null {
  if (input.types === null || input.types === undefined) return null;
  const spans = recordSpans(input, 0).write(head);
  const records: Record<string, unknown>[] = [];
  for (const { start, end } of spans) {
    const value: unknown = JSON.parse(Buffer.from(head.subarray(start, end)).toString('utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    records.push(value as Record<string, unknown>);
  }
  const planned = plannedColumns(input.types, records);
  return planned === null ? null : { planned, spans };
}
