import type { ListCollector } from './list-collector.ts';
import type { RecordSink } from './record-sink.ts';
import type { OtherList, ParseLoss, ScanSummary } from './scan-summary.ts';

/** What a scanner of one kind needs to know. */
export interface BodyOptions {
  /** Bytes of a list's head to keep for the preview. */
  readonly headBytes: number;
  readonly maxRecordBytes: number;
  /** The body's first bytes, where they stay at hand: then heads of lists are not copied. */
  readonly inHand?: Uint8Array | undefined;
  /** Makes a profile for a list that may be the list of rows; null: no profile. */
  readonly sink: (() => RecordSink) | null;
}

/** The bytes around a list of rows in a JSON document, for the preview. */
export interface ListFrame {
  /** Raw bytes of the keys that lead to the list, null for the one element of a list on the way; null: too deep. */
  readonly keys: readonly (Uint8Array | null)[] | null;
  /** What follows the list's closing bracket up to the document's end; null: too long to keep, or not whole. */
  readonly tail: Uint8Array | null;
  readonly tailBytes: number;
}

/** What the scan of a whole body of one kind found. */
export interface BodyFacts {
  readonly path: string | null;
  /** Null: the document holds no list and is one record. */
  readonly list: ListCollector | null;
  readonly frame: ListFrame | null;
  /** The JSON document's own bytes. */
  readonly root: { readonly start: number; readonly end: number; readonly whole: boolean; readonly odd: boolean };
  readonly otherLists: readonly OtherList[];
  readonly parseLoss: ParseLoss | null;
  /** Scalars around the list, nested as they came: where the tool's own paging stands. */
  readonly around: unknown;
  readonly table: ScanSummary['table'];
}

/** Scans a body of one kind, fed in pieces cut anywhere. */
export interface BodyScan {
  /** `b[from, to)`; answers where it stopped, which is `to` unless the kind turned out to be another. */
  write(b: Uint8Array, from: number, to: number): number;
  end(): BodyFacts;
}
