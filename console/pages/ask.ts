import { api } from '../api.ts';
import { h } from '../dom.ts';
import type { Page } from '../page.ts';
import { questionForm } from '../question-form.ts';

/** A new chat: one question starts a run. */
export const askPage: Page = async ({ main, signal, title }) => {
  const { agents } = await api.chats(null, signal);
  title('Ask');
  main.replaceChildren(
    h('h1', {}, 'Ask'),
    h('p', { class: 'lead' }, 'Large results are kept whole; the answer says what it rests on and links to the data.'),
    questionForm({ agents, label: 'Your question', button: 'Start' }),
  );
};
