/** A half-open interval of record numbers, `[start, end)`. */
export type RecordRange = readonly [start: number, end: number];

/** One selection that a read delivered to the model. */
export interface BasisSelection {
  /** null: all fields. */
  readonly fields: readonly string[] | null;
  readonly offset: number;
  readonly loaded: number;
}

/** What an answer rests on, for one result: facts about what stood in requests really sent; no judgement. */
export interface ResultBasis {
  readonly ref: string | null;
  readonly tool: string;
  readonly unit: 'records' | 'lines';
  /** Distinct records seen: the union of the record numbers, each counted once. */
  readonly seen: number;
  readonly ranges: readonly RecordRange[];
  /** null: not knowable (an open population) or not known. */
  readonly total: number | null;
  readonly unread: number | null;
  readonly selections: readonly BasisSelection[];
  /** Analyses run over it; `whole` counts those whose input was the whole stored result. */
  readonly analyses: number;
  readonly wholeAnalyses: number;
  /** Every record of the result was seen, or stood in an analysis of the whole; null when not knowable. */
  readonly complete: boolean | null;
  /** Why not complete: coverage reasons, losses and mismatches of the stored copy among them. */
  readonly reasons: readonly string[];
}

/** Computed by code and attached beside the answer, never written by a model. */
export interface Basis {
  readonly results: readonly ResultBasis[];
}

export const emptyBasis: Basis = { results: [] };
