import type { ResultLink } from './api.ts';
import { h } from './dom.ts';
import { contentOf, day, spoken } from './format.ts';

/** A stored result beside an answer: what it is, or why it cannot be opened. Only links made by code come here. */
export function resultCard(link: ResultLink): HTMLElement {
  if (link.state === 'not_allowed') {
    return card('Stored result', 'No longer allowed with your current roles.', []);
  }
  if (link.state === 'expired' || link.download_url === null) {
    return card(
      link.tool === null ? 'Stored result' : spoken(link.tool),
      'No longer available. Run the tool again to get it anew.',
      [],
    );
  }
  const facts = [...contentOf(link), ...(link.available_until === null ? [] : [`until ${day(link.available_until)}`])];
  return card(link.tool === null ? 'Stored result' : spoken(link.tool), facts.join(' · '), [
    h('a', { class: 'button', href: `#/results/${link.ref}` }, 'View'),
    ...downloadButtons(link, link.tool ?? 'result'),
  ]);
}

/** Plain navigations: the browser follows to the signed address by itself and takes no header of ours along. */
export function downloadButtons(
  link: Pick<ResultLink, 'download_url' | 'export_url'>,
  name: string,
  options: { readonly primary?: boolean } = {},
): readonly HTMLElement[] {
  const button = (href: string, text: string, what: string) =>
    h(
      'a',
      { class: options.primary === true ? 'button primary' : 'button', href, rel: 'noreferrer' },
      text,
      h('span', { class: 'unseen' }, ` ${what}`),
    );
  return [
    ...(link.download_url === null ? [] : [button(link.download_url, 'Download', `${spoken(name)}, as it came`)]),
    ...(link.export_url === null ? [] : [button(link.export_url, 'CSV', `of ${spoken(name)}`)]),
  ];
}

function card(title: string, facts: string, actions: readonly HTMLElement[]): HTMLElement {
  return h(
    'div',
    { class: actions.length === 0 ? 'card closed' : 'card' },
    h('p', { class: 'facts' }, h('strong', {}, title), h('span', { class: 'muted' }, facts)),
    actions.length > 0 && h('p', { class: 'actions' }, ...actions),
  );
}
