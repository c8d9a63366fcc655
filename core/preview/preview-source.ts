import { isAscii, isUtf8, transcode } from 'node:buffer';
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

/** A preview of exactly these bytes, copied; in parts, so that they need not be put together first. */
export function madePreview(
  text: Uint8Array | readonly Uint8Array[],
  shown: number,
  facts: { readonly complete?: boolean; readonly firstRecordBytes?: number; readonly shortened?: boolean } = {},
): Preview {
  const parts = text instanceof Uint8Array ? [text] : text;
  return {
    text: parts.reduce((whole, part) => whole + copiedText(part), ''),
    bytes: parts.reduce((sum, part) => sum + part.length, 0),
    shown,
    complete: facts.complete ?? false,
    ...(facts.firstRecordBytes === undefined ? {} : { firstRecordBytes: facts.firstRecordBytes }),
    shortened: facts.shortened ?? false,
  };
}

/**
 * A string of its own. Copying ASCII, which most text is, takes a twentieth of the time of decoding it as UTF-8; other
 * well-formed text goes through UTF-16, which takes a quarter.
 */
function copiedText(text: Uint8Array): string {
  const buffer = asBuffer(text);
  if (isAscii(text)) return buffer.toString('latin1');
  return isUtf8(text) ? transcode(buffer, 'utf8', 'ucs2').toString('ucs2') : buffer.toString('utf8');
}
