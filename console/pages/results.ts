import { api, type CatalogRow } from '../api.ts';
import { h } from '../dom.ts';
import { contentOf, count, day, moment, spoken } from '../format.ts';
import type { Page } from '../page.ts';
import { downloadButtons } from '../result-card.ts';

/** Every stored result, newest first, with what it is and how long it is kept. */
export const resultsPage: Page = async ({ main, signal, title }) => {
  title('Results');
  const body = h('tbody');
  const more = h('p', { class: 'more' });
  let cursor: string | null = null;
  let shown = 0;
  const load = async (): Promise<void> => {
    const page = await api.catalog(cursor, signal);
    cursor = page.next_cursor;
    shown += page.results.length;
    body.append(...page.results.map(row));
    more.replaceChildren(
      h('span', { class: 'muted' }, cursor === null ? `${count(shown)} in all` : `${count(shown)} shown`),
      ...(cursor === null ? [] : [h('button', { type: 'button', onclick: () => void load() }, 'Show more')]),
    );
  };
  await load();
  main.replaceChildren(
    h('h1', {}, 'Stored results'),
    shown === 0
      ? h('p', { class: 'empty' }, 'Nothing is stored. Results that are too large for an answer will appear here.')
      : h(
          'div',
          { class: 'scroll', role: 'region', 'aria-label': 'Stored results', tabindex: '0' },
          h(
            'table',
            { class: 'results' },
            h('thead', {}, h('tr', {}, ...['Result', 'Content', 'Made', 'Kept until', ''].map(head))),
            body,
          ),
        ),
    more,
  );
};

function head(text: string): HTMLElement {
  return text === '' ? h('td') : h('th', { scope: 'col' }, text);
}

function row(result: CatalogRow): HTMLElement {
  const name = spoken(result.tool);
  const version = result.version > 1 ? `version ${result.version}` : null;
  const title =
    result.state === 'available' && result.status === 'stored'
      ? h('a', { href: `#/results/${result.ref}` }, name)
      : name;
  return h(
    'tr',
    { class: result.state },
    h('th', { scope: 'row' }, title, version !== null && h('span', { class: 'badge plain' }, version)),
    h('td', { 'data-label': 'Content' }, content(result)),
    h('td', { 'data-label': 'Made' }, moment(result.acquired_at)),
    h('td', { 'data-label': 'Kept until' }, day(result.available_until)),
    h('td', { class: 'actions' }, ...downloadButtons(result, result.tool)),
  );
}

function content(result: CatalogRow): Node {
  if (result.state === 'not_allowed') return h('span', { class: 'badge' }, 'no longer allowed');
  if (result.status === 'refresh_failed') return h('span', { class: 'badge' }, 'a refresh that failed');
  const facts = contentOf(result).join(' · ');
  return result.state === 'expired'
    ? h('span', {}, facts, h('span', { class: 'badge' }, 'no longer available'))
    : document.createTextNode(facts);
}
