import { api, type ChatRow } from '../api.ts';
import { h } from '../dom.ts';
import { count, moment } from '../format.ts';
import type { Page } from '../page.ts';

/** All chats, newest first. The list fills page by page; searching looks through what is there by title. */
export const chatsPage: Page = async ({ main, signal, say, title }) => {
  title('Chats');
  const list = h('ul', { class: 'chats' });
  const status = h('p', { class: 'muted' });
  const rows: { readonly words: string; readonly element: HTMLElement }[] = [];
  const search = h('input', { id: 'search', type: 'search', autocomplete: 'off', oninput: () => filter() });
  let total = 0;

  const filter = (): void => {
    const wanted = search.value.trim().toLocaleLowerCase();
    let shown = 0;
    for (const { words, element } of rows) {
      element.hidden = wanted !== '' && !words.includes(wanted);
      if (!element.hidden) shown += 1;
    }
    status.textContent =
      wanted === '' ? `${count(total)} ${total === 1 ? 'chat' : 'chats'}` : `${count(shown)} of ${count(total)} chats`;
    if (wanted !== '') say(status.textContent);
  };

  let cursor: string | null = null;
  do {
    const page = await api.chats(cursor, signal);
    total = page.total;
    const elements = page.chats.map((chat) => {
      const element = row(chat);
      rows.push({ words: chat.title.toLocaleLowerCase(), element });
      return element;
    });
    list.append(...elements);
    if (cursor === null) {
      main.replaceChildren(
        h(
          'div',
          { class: 'head' },
          h('h1', {}, 'Chats'),
          h('a', { class: 'button primary', href: '#/ask' }, 'New question'),
        ),
        ...(total === 0
          ? [h('p', { class: 'empty' }, 'Nothing here yet. Your first question makes your first chat.')]
          : [h('div', { class: 'search' }, h('label', { for: 'search' }, 'Search by title'), search, status), list]),
      );
    }
    cursor = page.next_cursor;
    filter();
  } while (cursor !== null && !signal.aborted);
};

function row(chat: ChatRow): HTMLElement {
  return h(
    'li',
    {},
    h(
      'a',
      { href: `#/chats/${chat.session}` },
      h('span', { class: 'title' }, chat.title),
      h(
        'span',
        { class: 'muted' },
        [moment(chat.updatedAt), `${count(chat.turns)} ${chat.turns === 1 ? 'answer' : 'answers'}`, chat.agent].join(
          ' · ',
        ),
        !chat.allowed && h('span', { class: 'badge' }, 'partly no longer allowed'),
      ),
    ),
  );
}
