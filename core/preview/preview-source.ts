import { isAscii, transcode } from 'node:buffer';
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
    text: copiedText(text),
    bytes: text.length,
    shown,
    complete: facts.complete ?? false,
    ...(facts.firstRecordBytes === undefined ? {} : { firstRecordBytes: facts.firstRecordBytes }),
    shortened: facts.shortened ?? false,
  };
}

/**
 * A string of its own. `text` is UTF-8; decoding it takes 31 µs for 24 KiB, by way of UTF-16 11 µs, and copying ASCII,
 * which most of it is, 2 µs.
 */
function copiedText(text: Uint8Array): string {
  if (isAscii(text)) return asBuffer(text).toString('latin1');
  return transcode(text, 'utf8', 'utf16le').toString('utf16le');
}
