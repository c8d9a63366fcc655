/** Why something delivered is not the whole (DESIGN 5.4). */
export type CoverageReason =
  | 'selection'
  | 'entry_limit'
  | 'byte_limit'
  | 'request_limit'
  | 'parse_loss'
  | 'identity_mismatch'
  | 'upstream_partial'
  | 'storage_limit'
  | 'not_stored';

export type CoverageUnit = 'records' | 'lines' | 'bytes';

/**
 * What a preview or a read really delivered. `total` and `input_complete` are null for an open population or when
 * the total is not known. Property order is the order on the wire.
 */
export interface Coverage {
  readonly unit: CoverageUnit;
  /** Units that were asked for; null when everything was asked for and the total is unknown. */
  readonly requested: number | null;
  readonly loaded: number;
  readonly total: number | null;
  readonly offset: number;
  /** Where the next page starts; null when nothing is left. */
  readonly next_offset: number | null;
  /** Every delivered unit was delivered with all of its bytes. */
  readonly byte_complete: boolean;
  /** Malformed or failed records that were left out; never what a reader may not see. */
  readonly filtered_count: number;
  readonly selection_complete: boolean;
  readonly input_complete: boolean | null;
  readonly reasons: readonly CoverageReason[];
  readonly missing_ids?: readonly string[];
  readonly duplicate_ids?: readonly string[];
  readonly unexpected_ids?: readonly string[];
  /** How many ids each list above stands for; there only when a list was cut to stay small. */
  readonly id_counts?: { readonly missing: number; readonly duplicate: number; readonly unexpected: number };
  /** What the tool itself says exists, when that is more than what it sent (`upstream_partial`). */
  readonly upstream_total?: number;
}
