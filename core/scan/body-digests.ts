/**
 * What makes a body's digests while it is scanned: SHA-256 of the whole and of each chunk of it
 * (`core/scan/chunk-schedule.ts`), fed in pieces of any size. Whoever made one ends it or drops it.
 */
export interface BodyDigests {
  /** Takes the next bytes. They may be overwritten as soon as this returns. Never throws: trouble is said by `end`. */
  write(piece: Uint8Array): void;
  /**
   * Lower-case hex of the whole, and the chunks' digests (32 bytes each) concatenated. Throws `StorageUnavailable` when
   * they could not be made; never answers others.
   */
  end(): { readonly sha256: string; readonly digests: Uint8Array };
  /**
   * Of digests that are made elsewhere: blocks for at most `maxMs` milliseconds until `bytes` more can be taken without
   * waiting. False: not yet; other work of the process may go on meanwhile.
   */
  room?(bytes: number, maxMs: number): boolean;
  /** Nothing more is written. Blocks for at most `maxMs` milliseconds until `end` need not wait; false: not yet. */
  finish?(maxMs: number): boolean;
  /** The digests are not wanted any more; nothing after `end` or a drop before. */
  drop?(): void;
}
