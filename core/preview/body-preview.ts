import { bomLength } from '../scan/detect-kind.ts';
import { markOddValues } from '../scan/odd-values.ts';
import { mended } from './fitting.ts';
import { jsonPreview } from './json-preview.ts';
import { linesPreview } from './lines-preview.ts';
import type { Preview } from './preview.ts';
import { madePreview, type PreviewSource } from './preview-source.ts';

/**
 * The preview of a scanned body. Its cost depends on the budget, never on the body; the text is a copy and keeps no
 * buffer of the scan alive.
 */
export function bodyPreview(source: PreviewSource): Preview {
  const { bytes, head, kind, facts, budget } = source;
  const bom = bomLength(head);
  const wellFormed = facts.parseLoss === null && (kind === 'text' || facts.root.whole);
  if (wellFormed && bytes - bom <= budget && head.length >= bytes) {
    const whole = mended(head.subarray(bom, bytes));
    if (whole.length <= budget) return madePreview(whole, source.records, { complete: true });
  }
  const marked = markedWhole(source);
  if (marked !== null && marked.length <= budget) return madePreview(marked, source.records, { complete: true });
  const within = { ...source, budget: Math.min(budget, bytes) };
  return kind === 'json' ? jsonPreview(within) : linesPreview(within);
}

/**
 * A whole JSON document with its NaN and infinities marked. Marking takes two bytes a value: the one place where the
 * text may be a little longer than what came.
 */
function markedWhole({ kind, head, facts, budget }: PreviewSource): Buffer | null {
  const { start, end, whole, odd } = facts.root;
  const lossless = whole && odd && (facts.list?.bad ?? 0) === 0;
  if (kind !== 'json' || !lossless || end > head.length || end - start > budget) return null;
  return mended(markOddValues(head.subarray(start, end)));
}
