import type { Coverage } from '../coverage/coverage.ts';
import type { Profile } from '../profile/profile.ts';
import type { ChunkTable, OtherList, ParseLoss, ResultKind } from '../scan/scan-summary.ts';

/** Version of the stored formats; readers accept every version that was ever written. */
export const resultFormat = 1;

/**
 * The commit record `results/<owner>/<session>/<id>/index`: a body without it does not exist (DESIGN 6).
 * Written create-only by platform functions alone, after the body is confirmed.
 */
export interface ResultIndex {
  readonly format: number;
  readonly ref: string;
  readonly tool: string;
  readonly toolVersion: string;
  readonly runId: string;
  readonly turn: number;
  readonly index: number;
  readonly kind: ResultKind;
  readonly path: string | null;
  readonly unit: 'records' | 'lines';
  readonly bytes: number;
  readonly sha256: string;
  readonly etag: string;
  readonly records: number;
  readonly otherLists: readonly OtherList[];
  readonly parseLoss: ParseLoss | null;
  readonly table: {
    readonly header: readonly string[];
    readonly delimiter: string;
    readonly dataOffset: number;
  } | null;
  readonly fields: readonly string[];
  readonly population: 'finite' | 'open';
  readonly upstream: { readonly partial: boolean; readonly total: number | null; readonly evidence: string } | null;
  /** The coverage of the stored copy against what the tool was asked for (identity, upstream paging). */
  readonly coverage: Coverage;
  readonly profile: Profile | null;
  readonly chunks: ChunkTable;
  /** ISO 8601, UTC. */
  readonly acquiredAt: string;
  readonly availableUntil: string;
  /** The gates of its producer (`core/tool/gate.ts`), or of all sources of a derived one, transitively. */
  readonly gates: readonly string[];
  readonly derivedFrom: readonly string[];
  /** Left out of the stored copy and said so, e.g. "1 image". */
  readonly leftOut: readonly string[];
  /** Number among the versions of one call in its session, and the version before it; absent: derived, the only one. */
  readonly version?: number;
  readonly supersedes?: string | null;
  /** File name for people, as the tool or exporter gave it. */
  readonly fileName?: string;
  /** Media type of a picture: it has bytes, and no lines that mean anything. */
  readonly pictureType?: string;
}
