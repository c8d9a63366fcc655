import type { ContentBlock } from '../content/block.ts';
import { type Marker, renderMarker } from './marker.ts';

/**
 * What stands in every further request of a run where a tool result was: a prefix of whole records and a marker.
 * Made once; since it is kept whole, later requests repeat it byte for byte, and a provider's cached prefix holds.
 */
export interface Replacement {
  readonly toolUseId: string;
  /** First 32 hex of the SHA-256 of the replaced content: two results under one tool-use id stay apart. */
  readonly digest: string;
  /** Whole records (or lines) of the result; may be empty. */
  readonly prefix: string;
  readonly marker: Marker;
  /** UTF-8 bytes of the replaced text and JSON. */
  readonly bytes: number;
  /** Records that `prefix` shows. */
  readonly shown: number;
  /** Turn of the model call that first sent it. */
  readonly turn: number;
  /** ISO 8601, UTC: the marker is rendered as of this instant, for ever. */
  readonly madeAt: string;
}

/** The replacements of a run. The set only grows. */
export interface Replacements {
  all(runId: string): Promise<readonly Replacement[]>;
  /** Answers what stands there afterwards: an earlier one wins, also over one made at the same time elsewhere. */
  putIfAbsent(runId: string, replacement: Replacement): Promise<Replacement>;
}

/** The blocks that a model gets; images and documents of the result stay beside them. */
export function replacementBlocks(replacement: Replacement): readonly ContentBlock[] {
  const line = { text: renderMarker(replacement.marker, new Date(replacement.madeAt)) };
  return replacement.prefix === '' ? [line] : [{ text: replacement.prefix }, line];
}
