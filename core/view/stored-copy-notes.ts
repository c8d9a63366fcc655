import type { ResultIndex } from '../store/result-index.ts';

/** What is known to be missing from or wrong with the stored copy, as sentences for a person. Empty: nothing is. */
export function storedCopyNotes(index: ResultIndex): readonly string[] {
  const { parseLoss, upstream, coverage, otherLists, leftOut } = index;
  const notes: string[] = [];
  if (upstream?.partial === true) {
    const known = upstream.total === null ? 'more' : upstream.total.toLocaleString('en');
    notes.push(`The tool itself delivered only a part: it says there are ${known} (${upstream.evidence}).`);
  }
  if (parseLoss !== null) notes.push(`${parseLoss.records} ${index.unit} could not be read: ${parseLoss.note}.`);
  if (coverage.missing_ids?.length) notes.push(`Asked for and not delivered: ${someOf(coverage.missing_ids)}.`);
  if (coverage.duplicate_ids?.length) notes.push(`Delivered more than once: ${someOf(coverage.duplicate_ids)}.`);
  if (coverage.unexpected_ids?.length)
    notes.push(`Delivered without being asked for: ${someOf(coverage.unexpected_ids)}.`);
  if (index.population === 'open')
    notes.push('This was a search: how much there is beyond these hits cannot be known.');
  for (const list of otherLists) notes.push(`The document also holds a list of ${list.count} under ${list.path}.`);
  for (const left of leftOut) notes.push(`Left out of the stored copy: ${left}.`);
  return notes;
}

function someOf(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).join(', ');
  return ids.length > 5 ? `${shown} and ${ids.length - 5} more` : shown;
}
