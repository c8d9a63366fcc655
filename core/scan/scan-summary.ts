import type { Coverage } from '../coverage/coverage.ts';
import type { Preview } from '../preview/preview.ts';
import type { Profile } from '../profile/profile.ts';

export type ResultKind = 'json' | 'ndjson' | 'csv' | 'tsv' | 'text';

/** Another array in the same document that is not the list of rows. */
export interface OtherList {
  readonly path: string;
  readonly count: number;
}

/** What could not be read as the kind says; `records` counts only what could. */
export interface ParseLoss {
  /** Records or lines that are malformed and were left out of the count of whole records. */
  readonly records: number;
  /** One sentence for people and models, e.g. "the last line is cut". */
  readonly note: string;
  /** Byte offset of the first fault. */
  readonly offset: number;
}

/**
 * The sparse record index. The body is cut into chunks by bytes alone: `chunkStart(i)` is a fixed schedule
 * (64 KiB, doubling after every 4,096 chunks), so any byte range can be checked by the digests of its chunks, and a
 * record wider than a chunk is no special case.
 */
export interface ChunkTable {
  /** Records (lines) that start before chunk i. */
  readonly recordsBefore: readonly number[];
  /** Offset, from the chunk's start, of the first record that starts in chunk i; -1 when none does. */
  readonly firstOffset: readonly number[];
  /** SHA-256 of each chunk's bytes, 32 bytes each, concatenated. */
  readonly digests: Uint8Array;
}

/** All that one pass over a result's bytes finds out. */
export interface ScanSummary {
  readonly kind: ResultKind;
  /** Path of the list of rows: '' for a top-level array, NDJSON, CSV and text; null when the JSON holds no list. */
  readonly path: string | null;
  readonly unit: 'records' | 'lines';
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Records in the list of rows (a JSON document without a list is one record); lines for text. */
  readonly records: number;
  readonly otherLists: readonly OtherList[];
  readonly parseLoss: ParseLoss | null;
  /** CSV/TSV only. */
  readonly table: {
    readonly header: readonly string[];
    readonly delimiter: string /** Offset of the first data row. */;
    readonly dataOffset: number;
  } | null;
  /** Top-level keys seen in the first records, first-seen order. */
  readonly fields: readonly string[];
  /** The tool's own paging: `has_more`, a next cursor, or a count larger than the rows it sent. */
  readonly upstream: { readonly partial: boolean; readonly total: number | null; readonly evidence: string } | null;
  readonly chunks: ChunkTable;
  readonly preview: Preview;
  readonly coverage: Coverage;
  readonly profile: Profile | null;
}
