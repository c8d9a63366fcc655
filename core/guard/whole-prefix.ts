import type { ContentBlock } from '../content/block.ts';
import { ResultScanner } from '../scan/result-scanner.ts';
import type { Shown } from './marker.ts';

export interface WholePrefix {
  /** Whole records (lines) as the exact text a model gets; may be empty. */
  readonly text: string;
  readonly shown: Shown;
}

/** Characters encoded at a time: one small buffer is used over and over, since fresh memory is what costs. */
const pieceCharacters = 32 * 1024;

/**
 * The whole records of a result that fit `maxBytes`, from its first text or JSON block: what is kept of it in a
 * replacement. The data reference block that the platform appended is no record of the result.
 */
export function wholePrefix(content: readonly ContentBlock[], maxBytes: number): WholePrefix {
  const first = content.find((block) => 'text' in block || ('json' in block && !isDataReference(block)));
  const text =
    first === undefined ? '' : 'text' in first ? first.text : JSON.stringify((first as { json: unknown }).json);
  const scanner = new ResultScanner({ previewBytes: maxBytes });
  const buffer = new Uint8Array(pieceCharacters * 3);
  const encoder = new TextEncoder();
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + pieceCharacters, text.length);
    // A pair is never cut in two: each half alone would become U+FFFD.
    if (to < text.length && isHighHalf(text.charCodeAt(to - 1))) to -= 1;
    scanner.write(buffer.subarray(0, encoder.encodeInto(text.slice(from, to), buffer).written));
    from = to;
  }
  const summary = scanner.end();
  return {
    text: summary.preview.text.trim() === '' ? '' : summary.preview.text,
    shown: { count: summary.preview.shown, total: summary.records, unit: summary.unit },
  };
}

function isHighHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isDataReference(block: ContentBlock): boolean {
  return 'json' in block && typeof block.json === 'object' && block.json !== null && 'data_reference' in block.json;
}
