import type { Basis } from './api.ts';
import { h } from './dom.ts';
import { count, counted, spoken } from './format.ts';

type Row = Basis['results'][number];

/** What an answer rests on: facts that code computed, in words. Nothing when the answer used no result. */
export function basisView(basis: Basis | null): HTMLElement | null {
  if (basis === null || basis.results.length === 0) return null;
  const complete = basis.results.every((row) => row.complete === true);
  return h(
    'details',
    { class: 'basis' },
    h(
      'summary',
      {},
      'What this answer rests on',
      h(
        'span',
        { class: complete ? 'badge good' : 'badge' },
        complete ? 'everything was read' : 'only a part was read',
      ),
    ),
    h('ul', {}, ...basis.results.map((row) => h('li', {}, sentence(row)))),
  );
}

function sentence(row: Row): string {
  const whole =
    row.total === null
      ? `${counted(row.seen, row.unit)} seen; how many there are is not known`
      : `${count(row.seen)} of ${counted(row.total, row.unit)} seen`;
  const analyses =
    row.analyses === 0
      ? ''
      : `; ${count(row.analyses)} ${row.analyses === 1 ? 'analysis' : 'analyses'}, ${count(row.wholeAnalyses)} over the whole result`;
  const reasons = row.reasons.length === 0 ? '' : ` (${row.reasons.map(spoken).join(', ')})`;
  return `${spoken(row.tool)}: ${whole}${analyses}${reasons}.`;
}
