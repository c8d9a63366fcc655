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
  /** Of the whole body, lower-case hex: checked before any engine sees a byte. */
  readonly sha256: string;
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

/** What the broker asks of the engine: everything in it was checked before. */
export interface EngineJob {
  readonly inputs: readonly EngineInput[];
  readonly program: EngineProgram;
  readonly chart: ChartSpec | null;
  readonly limits: EngineLimits;
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
  readonly svg: string;
  /** Base64. */
  readonly png: string;
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
  readonly inputs: readonly LoadedInput[];
  readonly chart: RenderedChart | null;
}

export interface EngineValue {
  readonly outcome: 'value';
  /** JSON text. */
  readonly text: string;
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
