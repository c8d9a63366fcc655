import type { ResultBasis } from '../basis/basis.ts';
import { searchExecuted } from '../coverage/open-population.ts';
import type { ResultIndex } from '../store/result-index.ts';

/** A stored result that is handed on, and what the delegate saw of it. */
export interface HandOffResult {
  readonly ref: string;
  readonly index: ResultIndex;
  readonly url: string;
  readonly basis: ResultBasis | undefined;
}

/**
 * Link, totals and flags of one result as lines for the next agent: facts from the commit record and the run, so a
 * paraphrase of the delegate cannot change them.
 */
export function handOffFacts({ ref, index, url, basis }: HandOffResult): string {
  const total = index.population === 'open' ? searchExecuted(index.records) : `${index.records} ${index.unit} in all`;
  const seen = basis === undefined ? 'none of them were seen' : seenWords(basis);
  const flags = [
    ...(index.upstream?.partial === true ? ['the tool itself delivered a part (upstream_partial)'] : []),
    ...(index.parseLoss === null ? [] : [`parse_loss: ${index.parseLoss.note}`]),
    ...index.coverage.reasons.filter((reason) => reason === 'identity_mismatch'),
  ];
  return [
    `[${index.tool}](${url})`,
    `- ref: ${ref}`,
    `- total: ${total}, ${index.bytes} bytes`,
    `- seen so far: ${seen}`,
    ...(flags.length === 0 ? [] : [`- flags: ${flags.join('; ')}`]),
    `- available until: ${index.availableUntil}`,
  ].join('\n');
}

function seenWords(basis: ResultBasis): string {
  const records =
    basis.total === null ? `${basis.seen} ${basis.unit}` : `${basis.seen} of ${basis.total} ${basis.unit}`;
  const unread = basis.unread === null || basis.unread === 0 ? '' : `, ${basis.unread} unread`;
  const analyses = basis.wholeAnalyses === 0 ? '' : `, ${basis.wholeAnalyses} analyses over the whole`;
  return `${records}${unread}${analyses}`;
}
