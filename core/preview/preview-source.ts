import type { BodyFacts } from '../scan/body-scan.ts';
import type { ResultKind } from '../scan/scan-summary.ts';
import { asBuffer } from './fitting.ts';
import type { Preview } from './preview.ts';

/** A scanned body, as far as a preview needs it. */
export interface PreviewSource {
  readonly kind: ResultKind;
  readonly bytes: number;
  /** The body's first bytes: all of them when they fit the budget. */
  readonly head: Uint8Array;
  readonly facts: BodyFacts;
  /** Whole records (lines) in the body. */
  readonly records: number;
  /** UTF-8 bytes that the text may have. */
  readonly budget: number;
}

/** A preview of exactly these bytes, copied. */
export function madePreview(
  text: Uint8Array,
  shown: number,
  facts: { readonly complete?: boolean; readonly firstRecordBytes?: number; readonly shortened?: boolean } = {},
): Preview {
  return {
    text: asBuffer(text).toString(),
    bytes: text.length,
    shown,
    complete: facts.complete ?? false,
    ...(facts.firstRecordBytes === undefined ? {} : { firstRecordBytes: facts.firstRecordBytes }),
    shortened: facts.shortened ?? false,
  };
}
