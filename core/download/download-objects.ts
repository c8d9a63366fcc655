import type { OwnerKey } from '../reference/owner-key.ts';

/** What a person can download: a result's body as it came, or a CSV made from it. */
export type DownloadTarget =
  | { readonly kind: 'result'; readonly session: string; readonly id: string }
  | { readonly kind: 'export'; readonly id: string };

/** What is known of an object without reading it: its metadata, written when the upload started (DESIGN 6). */
export interface DownloadFacts {
  readonly bytes: number;
  readonly contentType: string;
  /** Gates that the object carries: producing tools, and what their views kept (`core/tool/gate.ts`). */
  readonly tools: readonly string[];
  /** ISO 8601, UTC. */
  readonly availableUntil: string;
  readonly fileName?: string;
}

export interface DownloadObjects {
  /**
   * One look at the object under this owner's own prefix. Undefined when there is none, or none that may be seen.
   * Throws `StorageUnavailable` when the store itself is in trouble.
   */
  look(owner: OwnerKey, target: DownloadTarget): Promise<DownloadFacts | undefined>;
  /** A signed address of exactly this object, valid for `seconds`, that saves a file and shows nothing. */
  signedUrl(
    owner: OwnerKey,
    target: DownloadTarget,
    answer: { readonly disposition: string; readonly contentType: string },
    seconds: number,
  ): Promise<string>;
}
