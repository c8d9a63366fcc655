import { api, Refused, signIn } from './api.ts';
import { h } from './dom.ts';
import type { Page, PageContext } from './page.ts';
import { askPage } from './pages/ask.ts';
import { chatPage } from './pages/chat.ts';
import { chatsPage } from './pages/chats.ts';
import { resultPage } from './pages/result.ts';
import { resultsPage } from './pages/results.ts';
import { runPage } from './pages/run.ts';

/** Addresses after the `#`: the page itself is one file, whatever prefix it is served under. */
const routes: readonly (readonly [RegExp, Page])[] = [
  [/^#\/ask$/, askPage],
  [/^#\/chats$/, chatsPage],
  [/^#\/chats\/([0-9a-f]{32})$/, chatPage],
  [/^#\/runs\/([0-9a-f]{32})$/, runPage],
  [/^#\/results$/, resultsPage],
  [/^#\/results\/([0-9a-f]{32}\/[0-9a-f]{32})$/, resultPage],
];

const main = h('main', { id: 'main', tabindex: '-1' });
const announcer = h('p', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
const links = (
  [
    ['#/ask', 'Ask'],
    ['#/chats', 'Chats'],
    ['#/results', 'Results'],
  ] as const
).map(([href, text]) => h('a', { href }, text));

let left = new AbortController();
let arrived = false;

function frame(): void {
  document.body.replaceChildren(
    h('a', { class: 'skip', href: '#main', onclick: skip }, 'Skip to content'),
    h(
      'header',
      { class: 'bar' },
      h('a', { class: 'brand', href: '#/chats' }, h('span', { class: 'mark', 'aria-hidden': 'true' }), 'Claimcheck'),
      h('nav', { 'aria-label': 'Main' }, ...links),
      h('button', { class: 'quiet', type: 'button', onclick: leave }, 'Sign out'),
    ),
    main,
    announcer,
  );
}

function skip(event: Event): void {
  event.preventDefault();
  main.focus();
}

async function leave(): Promise<void> {
  const { location: next } = await api.signOut();
  location.assign(next);
}

/** Draws the page of the current address. The page before it stops asking for anything. */
async function show(): Promise<void> {
  left.abort();
  left = new AbortController();
  const { signal } = left;
  const hash = location.hash === '' || location.hash === '#/' ? '#/chats' : location.hash;
  for (const link of links) {
    const href = link.getAttribute('href') ?? '';
    const here = hash === href || hash.startsWith(`${href}/`) || (href === '#/ask' && hash.startsWith('#/runs/'));
    if (here) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const context: PageContext = {
    main,
    signal,
    say: (text) => {
      announcer.textContent = text;
    },
    title: (text) => {
      document.title = `${text} · Claimcheck`;
    },
  };
  const found = routes
    .map(([pattern, page]) => ({ page, parts: pattern.exec(hash)?.slice(1) }))
    .find(({ parts }) => parts !== undefined);
  main.setAttribute('aria-busy', 'true');
  main.replaceChildren(h('p', { class: 'waiting' }, 'Loading…'));
  try {
    if (found?.parts === undefined) throw new Refused(404, 'NotFound', 'There is no such page.');
    await found.page(context, ...found.parts);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof Refused && error.status === 401) return signIn();
    refuse(context, error);
  } finally {
    if (!signal.aborted) main.removeAttribute('aria-busy');
  }
  if (signal.aborted) return;
  // The first page is read from its top, as any page is; after that, what changed is where reading goes on.
  if (!arrived) {
    arrived = true;
    return;
  }
  const heading = main.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** What a refusal means, in words. */
function refuse(context: PageContext, error: unknown): void {
  const refused = error instanceof Refused ? error : undefined;
  const title =
    refused?.status === 404
      ? 'Not found'
      : refused?.code === 'RoleRevoked'
        ? 'No longer allowed'
        : refused?.code === 'Expired'
          ? 'No longer available'
          : 'That did not work';
  const words =
    refused?.status === 404
      ? 'There is nothing here for you. It may have been deleted, or it belongs to somebody else.'
      : (refused?.message ?? 'The service cannot be reached. Check the connection and try again.');
  context.title(title);
  context.main.replaceChildren(
    h('h1', {}, title),
    h('p', { class: 'notice' }, words),
    h('p', {}, h('a', { href: '#/chats' }, 'To your chats')),
  );
}

frame();
const place = sessionStorage.getItem('place');
sessionStorage.removeItem('place');
if (place !== null && location.hash === '' && routes.some(([pattern]) => pattern.test(place))) location.replace(place);
addEventListener('hashchange', () => void show());
void show();
