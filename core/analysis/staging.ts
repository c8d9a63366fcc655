import type { OwnerKey } from '../reference/owner-key.ts';
import type { EngineUpload } from './engine.ts';

/** Where one output of an engine waits until it is a result: made for one attempt, never used again. */
export interface StagingPlace {
  readonly owner: OwnerKey;
  /** Random, 32 lower-case hex. */
  readonly id: string;
}

/**
 * What an engine leaves when it does not fit its answer. Nothing here is a result: no reference leads to it, nobody but
 * the broker reads it, and the store forgets it within days by itself. Trouble in the store is `StorageUnavailable`.
 */
export interface Staging {
  /** The right to create one object at exactly this place, once and soon; `maxBytes` is the engine's to keep. */
  upload(place: StagingPlace, contentType: string, maxBytes: number): Promise<EngineUpload>;
  /** What stands there; undefined when nothing does. */
  look(place: StagingPlace): Promise<{ readonly bytes: number; readonly etag: string } | undefined>;
  /** Whole, of the version that `etag` names. */
  read(place: StagingPlace, etag: string): Promise<AsyncIterable<Uint8Array> | undefined>;
}
