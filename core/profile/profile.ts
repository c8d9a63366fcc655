/** Number of values per JSON type in one column; types that never occurred are left out. */
export type TypeMix = Partial<Record<'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array', number>>;

/** Computed facts about one column; nested objects give dotted paths such as `address.city`. */
export interface ColumnProfile {
  readonly path: string;
  readonly types: TypeMix;
  /** Records whose value is null / that lack the key. */
  readonly nulls: number;
  readonly missing: number;
  /**
   * Numbers: the digits as they came; a JSON number where a double prints just those, else a string of them (beyond
   * 2^53, `1.10`, `1E400`). Strings that are all ISO dates: the dates.
   */
  readonly min?: string | number;
  readonly max?: string | number;
  readonly mean?: number;
  /** UTF-8 bytes of the shortest and longest string. */
  readonly min_length?: number;
  readonly max_length?: number;
  /** Elements of the shortest and longest array. */
  readonly min_items?: number;
  readonly max_items?: number;
  /** Different values, null not counted; a string and a number are never the same value. */
  readonly distinct: number;
  /** False when `distinct` is an estimate (a HyperLogLog sketch behind an exact set; see `distinct-counter.ts`). */
  readonly distinct_exact: boolean;
  /** Most frequent values of a low-cardinality column, most frequent first. */
  readonly top?: readonly { readonly value: string | number | boolean | null; readonly count: number }[];
}

/** Facts about every column of a result's records, computed in the same pass (DESIGN 2, 5.3). */
export interface Profile {
  /** Records that the facts are about. */
  readonly records: number;
  /** Records too wide or too broken to be looked into. */
  readonly skipped_records: number;
  readonly columns: readonly ColumnProfile[];
  /** Columns that did not fit the byte budget of the place where this is shown, or the cap on columns. */
  readonly columns_left_out: number;
}
