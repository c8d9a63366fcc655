import type { ResultIndex } from '../store/result-index.ts';
import type { ChartSpec } from './chart-spec.ts';
import type { KnownType } from './known-types.ts';

/** One stored result as the engine gets it: an address that opens this object alone, and how to find its records. */
export interface EngineInput {
  /** Table name in SQL, argument of `rows()` in a script. */
  readonly name: string;
  /** Signed, short-lived, for exactly one object. */
  readonly url: string;
  readonly bytes: number;
  /** Of the whole body, lower-case hex. */
  readonly sha256: string;
  /**
   * SHA-256 of each chunk of the body (`ChunkTable`), 32 bytes each, base64: no byte of a chunk is loaded before it was
   * found right. Absent or null: nothing of the body is, before `sha256` was.
   */
  readonly digests?: string | null;
  readonly kind: ResultIndex['kind'];
  readonly path: string | null;
  readonly table: ResultIndex['table'];
  /** Byte offset of the first record; null when there is none. */
  readonly recordStart: number | null;
  /** Every column with its type in all records (`knownTypes`); absent or null: to be found out by reading them all. */
  readonly types?: Readonly<Record<string, KnownType>> | null;
}

export interface EngineProgram {
  /** `python` is for an engine of its own, which not every installation has. */
  readonly kind: 'sql' | 'script' | 'python';
  readonly text: string;
}

export interface EngineLimits {
  /** From the first byte of the program to its end, in milliseconds; then it is killed. */
  readonly deadlineMs: number;
  /** What a table of rows or a script's value may have as JSON text, in bytes. */
  readonly maxOutputBytes: number;
}

/** The right to create one object, once and soon, by a PUT with exactly these headers. */
export interface EngineUpload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the object, in bytes: more is not sent. */
  readonly maxBytes: number;
}

/** Where an engine leaves what does not fit its answer; null where it may not. */
export interface EngineUploads {
  /** Present when the whole answer is to be kept. */
  readonly answer: EngineUpload | null;
  /** PNG and SVG of a chart. */
  readonly picture: EngineUpload | null;
  readonly drawing: EngineUpload | null;
}

/** Whose job it is, for the engine's log lines and for nothing that a program could see. */
export interface EngineCall {
  readonly runId: string;
  readonly session: string;
  readonly turn: number;
  readonly index: number;
  readonly toolUseId?: string | undefined;
}

/** What the broker asks of the engine: everything in it was checked before. */
export interface EngineJob {
  readonly inputs: readonly EngineInput[];
  readonly program: EngineProgram;
  readonly chart: ChartSpec | null;
  readonly limits: EngineLimits;
  /** Absent or null: everything is handed over in the answer. */
  readonly uploads?: EngineUploads | null;
  readonly call?: EngineCall | null;
}

/** What an engine says that it has uploaded: looked at and compared before anybody believes it. */
export interface UploadedOutput {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export interface EngineColumn {
  readonly name: string;
  readonly type: string;
}

/** What of an input really reached the engine. */
export interface LoadedInput {
  readonly name: string;
  readonly records: number;
  readonly bytes: number;
  readonly columns: readonly EngineColumn[];
}

export interface RenderedChart {
  readonly svg: string | UploadedOutput;
  /** Base64. */
  readonly png: string | UploadedOutput;
  readonly marks: number;
  readonly altText: string;
}

export interface EngineTable {
  readonly outcome: 'table';
  readonly columns: readonly EngineColumn[];
  /** Per row, per column, the value as JSON text: exact, whatever the size of the number. */
  readonly rows: readonly (readonly string[])[];
  /** All rows of the answer, counted by the engine, also those that found no room in `rows`. */
  readonly rowCount: number;
  /** All rows as NDJSON, where they were to be kept and `rows` is not all of them. */
  readonly uploaded?: UploadedOutput | null;
  readonly inputs: readonly LoadedInput[];
  readonly chart: RenderedChart | null;
}

export interface EngineValue {
  readonly outcome: 'value';
  /** JSON text: the value, or of an uploaded one (`cut`) the items of a list that fit, else `null`. */
  readonly text: string;
  /** Of a value that was uploaded since it is larger than an answer: its bytes, and the items of a list. */
  readonly cut?: { readonly bytes: number; readonly items: number | null } | null;
  /** The whole value as JSON. */
  readonly uploaded?: UploadedOutput | null;
  readonly inputs: readonly LoadedInput[];
  readonly chart: RenderedChart | null;
}

/** A failure for the model to mend; `message` names no path and nothing of the host. */
export interface EngineFailure {
  readonly outcome: 'error';
  readonly code: 'AnalysisFailed' | 'AnalysisLimit' | 'StorageUnavailable';
  readonly message: string;
}

export type EngineAnswer = EngineTable | EngineValue | EngineFailure;

/** Runs untrusted programs where nothing can be reached but their inputs (DESIGN 7.10). */
export interface AnalysisEngine {
  run(job: EngineJob): Promise<EngineAnswer>;
}
