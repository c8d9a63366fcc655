import type { Basis, ResultLink } from './api.ts';
import { basisSentence } from './basis-words.ts';
import { h } from './dom.ts';

/**
 * What an answer rests on: facts that code computed, in words. Nothing when the answer used no result. `links` know of
 * how many records a stored part is a part.
 */
export function basisView(basis: Basis | null, links: readonly ResultLink[] = []): HTMLElement | null {
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
    h(
      'ul',
      {},
      ...basis.results.map((row) =>
        h('li', {}, basisSentence(row, links.find(({ ref }) => ref === row.ref)?.source_total ?? null)),
      ),
    ),
  );
}
