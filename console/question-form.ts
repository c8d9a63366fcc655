import { api, Refused, signIn } from './api.ts';
import { h } from './dom.ts';

/** The form that starts a run, in a new chat or (with `session`) as the next turn of one. */
export function questionForm(options: {
  readonly agents: readonly string[];
  readonly session?: string;
  readonly label: string;
  readonly button: string;
}): HTMLElement {
  const { agents, session } = options;
  // One key per question that was typed: pressing twice, or again after a lost answer, is the same run.
  let key = crypto.randomUUID();
  const question = h('textarea', {
    id: 'question',
    name: 'question',
    rows: 4,
    required: true,
    maxlength: 16_000,
    oninput: () => {
      key = crypto.randomUUID();
    },
  });
  const agent = h(
    'select',
    { id: 'agent', name: 'agent' },
    ...agents.map((name) => h('option', { value: name }, name)),
  );
  const button = h('button', { class: 'primary', type: 'submit' }, options.button);
  const problem = h('p', { class: 'problem', role: 'alert' });

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = '';
    try {
      const run = await api.start({
        agent: agent.value,
        message: question.value,
        idempotencyKey: key,
        ...(session === undefined ? {} : { session }),
      });
      location.hash = `#/runs/${run.runId}`;
    } catch (error) {
      if (error instanceof Refused && error.status === 401) return signIn();
      problem.textContent = error instanceof Refused ? error.message : 'The service cannot be reached. Try again.';
      button.disabled = false;
    }
  };

  return h(
    'form',
    { class: 'question', onsubmit: (event) => void submit(event) },
    h('label', { for: 'question' }, options.label),
    question,
    h(
      'div',
      { class: 'row' },
      h('label', { for: 'agent', class: agents.length > 1 ? '' : 'unseen' }, 'Agent'),
      agent,
      button,
    ),
    problem,
  );
}
