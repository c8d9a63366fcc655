import type { OwnerKey } from '../reference/owner-key.ts';
import type { BodyMetadata, StoredBody } from '../store/result-store.ts';

/** Where an owner's CSV files live, apart from results: for people, never read by a model (DESIGN 5.6, 6). */
export interface ExportStore {
  /**
   * Create-only and checksummed, like a body. Resolves once the store has confirmed the object. Throws
   * `StorageUnavailable`, `OversizeResult` past `maxBytes`, and what the pieces themselves throw; no part stays behind.
   */
  putCsv(
    address: ExportAddress,
    pieces: AsyncIterable<Uint8Array>,
    metadata: BodyMetadata,
    limits: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredBody>;
  /** Undefined when there is none, or none that may be seen. */
  headCsv(address: ExportAddress): Promise<StoredBody | undefined>;
}

/** Built from the caller's own identity only; an export has the id of its typed copy. */
export interface ExportAddress {
  readonly owner: OwnerKey;
  readonly id: string;
}
