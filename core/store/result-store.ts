import type { OwnerKey } from '../reference/owner-key.ts';
import type { BodyDigests } from '../scan/body-digests.ts';
import type { ResultIndex } from './result-index.ts';

/** The address of one object of a result, already owner-bound: built from the caller's own identity only. */
export interface ResultAddress {
  readonly owner: OwnerKey;
  readonly session: string;
  readonly id: string;
}

/** What is known when the upload starts; kept as object metadata (US-ASCII, under 2 KB; DESIGN 6). */
export interface BodyMetadata {
  /** The gates: producing tools, and what their views kept (`core/tool/gate.ts`). */
  readonly tools: readonly string[];
  readonly runId: string;
  readonly turn: number;
  readonly index: number;
  /** ISO 8601, UTC. */
  readonly availableUntil: string;
  readonly format: number;
  readonly contentType: string;
  /** SHA-256 of the body as lower-case hex, when it is known before the upload. */
  readonly sha256?: string;
  readonly fileName?: string;
}

/** What an upload of a body may take, and what is made of it beside. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /**
   * Of a piece that has just come: what has had it, and every piece before it, to make the body's digests, where that is
   * the store's own (`ResultStore.digests`). Undefined for any other piece: whoever stands between and yields other bytes
   * is not passed over. A piece that was changed where it lies is the same piece here: it is for the store to compare.
   */
  readonly digests?: (piece: Uint8Array) => BodyDigests | undefined;
}

export interface StoredBody {
  readonly bytes: number;
  readonly etag: string;
  readonly metadata: BodyMetadata;
}

/**
 * Where bodies and their commit records live. A missing object and one that may not be seen are both `undefined`
 * (DESIGN 7.2); trouble in the store itself is `StorageUnavailable`, never "not found".
 */
export interface ResultStore {
  /**
   * Create-only and checksummed. A repeat whose size and metadata match what stands there is a success (a lost
   * response); one that differs throws `StorageUnavailable`. Resolves once the store has confirmed the object.
   * Throws `OversizeResult` past `maxBytes`, and what the body itself throws; either way no part is left behind.
   */
  putBody(
    address: ResultAddress,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    metadata: BodyMetadata,
    limits: BodyLimits,
  ): Promise<StoredBody>;
  headBody(address: ResultAddress): Promise<StoredBody | undefined>;
  /** Whole body as a stream of pieces, of the version that `etag` names. */
  readBody(address: ResultAddress, etag: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Bytes `[start, end)` of the version that `etag` names. */
  readRange(address: ResultAddress, etag: string, start: number, end: number): Promise<Uint8Array | undefined>;
  /** Create-only; a repeat with the same content is a success. */
  putIndex(address: ResultAddress, index: ResultIndex): Promise<void>;
  readIndex(address: ResultAddress): Promise<ResultIndex | undefined>;
  /** Makes digests of a body of at least `bytes` bytes better than the caller's own thread; undefined: it does not. */
  digests?(bytes: number): BodyDigests | undefined;
}
