import { answerBlocks, type Span } from '../answer-text.ts';
import { api, type TurnResponse } from '../api.ts';
import { basisView } from '../basis-view.ts';
import { h } from '../dom.ts';
import { moment } from '../format.ts';
import type { Page } from '../page.ts';
import { questionForm } from '../question-form.ts';
import { resultCard } from '../result-card.ts';

/** One chat: questions, answers, the results beside them, and the next question. */
export const chatPage: Page = async ({ main, signal, say, title }, session = '') => {
  const [chat, { agents }] = await Promise.all([api.chat(session, signal), api.chats(null, signal)]);
  title(chat.title);
  const remove = async (): Promise<void> => {
    if (!confirm('Delete this chat? Stored results stay until their own date.')) return;
    await api.deleteChat(session);
    say('The chat is deleted.');
    location.hash = '#/chats';
  };
  main.replaceChildren(
    h(
      'div',
      { class: 'head' },
      h('h1', {}, chat.title),
      h('button', { class: 'quiet danger', type: 'button', onclick: () => void remove() }, 'Delete chat'),
    ),
    ...chat.turns.map((turn, position) => turnView(turn, position + 1)),
    h(
      'section',
      { class: 'next', 'aria-label': 'Continue this chat' },
      questionForm({ agents, session, label: 'Ask on', button: 'Send' }),
    ),
  );
};

function turnView(turn: TurnResponse, number: number): HTMLElement {
  return h(
    'article',
    { class: 'turn', 'aria-label': `Turn ${number}` },
    h(
      'div',
      { class: 'asked' },
      h('h2', { class: 'unseen' }, `Question ${number}`),
      h('p', { class: 'words' }, turn.question),
    ),
    h(
      'div',
      { class: 'answered' },
      h('p', { class: 'muted' }, `${turn.agent} · ${moment(turn.at)}`),
      ...answerView(turn),
      turn.links.length > 0 &&
        h(
          'ul',
          { class: 'cards', 'aria-label': 'Stored results' },
          ...turn.links.map((link) => h('li', {}, resultCard(link))),
        ),
      basisView(turn.basis, turn.links),
    ),
  );
}

function answerView(turn: TurnResponse): readonly HTMLElement[] {
  if (!turn.allowed) {
    return [
      h('p', { class: 'notice' }, 'No longer allowed: your current roles do not open what this answer was made from.'),
    ];
  }
  const shown: HTMLElement[] = [];
  if (turn.answer !== null && turn.answer.trim() !== '') shown.push(answerText(turn.answer));
  if (turn.failure !== null) shown.push(h('p', { class: 'notice' }, turn.failure));
  return shown;
}

function answerText(answer: string): HTMLElement {
  const spans = (list: readonly Span[]) =>
    list.map(({ kind, text }) => (kind === 'text' ? text : h(kind === 'strong' ? 'strong' : 'code', {}, text)));
  return h(
    'div',
    { class: 'answer' },
    ...answerBlocks(answer).map((block) => {
      switch (block.kind) {
        case 'code':
          return h('pre', { tabindex: '0' }, h('code', {}, block.text));
        case 'list':
          return h(block.ordered ? 'ol' : 'ul', {}, ...block.items.map((item) => h('li', {}, ...spans(item))));
        case 'heading':
          return h('h3', {}, ...spans(block.spans));
        default:
          return h('p', { class: 'words' }, ...spans(block.spans));
      }
    }),
  );
}
