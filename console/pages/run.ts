import { api, type RunResponse } from '../api.ts';
import { h } from '../dom.ts';
import { spoken } from '../format.ts';
import type { Page } from '../page.ts';

/** Milliseconds between two looks at a run: quick at first, then every three seconds. */
const pauses = [400, 600, 800, 1_000, 1_500, 2_000, 3_000] as const;

/** A run at work: what it has done so far, until its chat can be shown. */
export const runPage: Page = async ({ main, signal, say, title }, runId = '') => {
  title('Working');
  const steps = h('ol', { class: 'steps' });
  const clock = h('p', { class: 'muted' });
  let drawn = false;
  for (let look = 0; !signal.aborted; look += 1) {
    const run = await api.run(runId, signal);
    if (run.status === 'succeeded') {
      say('The answer is there.');
      location.replace(`#/chats/${run.session}`);
      return;
    }
    if (run.status === 'failed') {
      title('Failed');
      main.replaceChildren(
        h('h1', {}, 'The run has failed'),
        h('p', { class: 'notice', role: 'alert' }, run.failure ?? 'It ended without an answer.'),
        h(
          'p',
          {},
          h('a', { href: `#/chats/${run.session}` }, 'To the chat'),
          ' or ',
          h('a', { href: '#/ask' }, 'ask again'),
        ),
      );
      return;
    }
    if (!drawn) {
      main.replaceChildren(
        h('h1', {}, 'Working on it'),
        h('p', { class: 'lead' }, 'You can leave this page: the answer will be among your chats.'),
        h('progress', { 'aria-label': 'The run is at work' }),
        steps,
        clock,
      );
      main.removeAttribute('aria-busy');
      drawn = true;
    }
    draw(run, steps, say);
    clock.textContent = `Started ${seconds(run.admittedAt)} ago`;
    await pause(pauses[Math.min(look, pauses.length - 1)] ?? 3_000, signal);
  }
};

function draw(run: RunResponse, steps: HTMLElement, say: (text: string) => void): void {
  if (steps.childElementCount === run.steps.length && steps.childElementCount > 0) return;
  steps.replaceChildren(
    ...run.steps.map(({ tool, status }) =>
      h('li', { class: status }, `${spoken(tool)}${status === 'error' ? ': answered with an error' : ''}`),
    ),
    ...(run.steps.length === 0 ? [h('li', { class: 'pending' }, 'reading the question')] : []),
  );
  const last = run.steps.at(-1);
  if (last !== undefined) say(`${spoken(last.tool)} has answered.`);
}

function seconds(since: string): string {
  const passed = Math.max(0, Math.round((Date.now() - Date.parse(since)) / 1000));
  return passed < 120 ? `${passed} s` : `${Math.round(passed / 60)} min`;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
