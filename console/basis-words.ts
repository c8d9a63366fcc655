import type { ResultBasis } from '../core/basis/basis.ts';
import { count, counted, spoken } from './format.ts';

/** What an answer rests on, for one result. `sourceTotal`: what the source holds in all, where the stored result is a part of it. */
export function basisSentence(row: ResultBasis, sourceTotal: number | null): string {
  const whole =
    row.total === null
      ? `${counted(row.seen, row.unit)} seen; how many there are is not known`
      : `${count(row.seen)} of ${counted(row.total, row.unit)} seen`;
  const source = sourceTotal === null ? '' : `; its source holds ${counted(sourceTotal, row.unit)} in all`;
  const analyses =
    row.analyses === 0
      ? ''
      : `; ${count(row.analyses)} ${row.analyses === 1 ? 'analysis' : 'analyses'}, ${count(row.wholeAnalyses)} over the whole result`;
  const reasons = row.reasons.length === 0 ? '' : ` (${row.reasons.map(spoken).join(', ')})`;
  return `${spoken(row.tool)}: ${whole}${source}${analyses}${reasons}.`;
}
