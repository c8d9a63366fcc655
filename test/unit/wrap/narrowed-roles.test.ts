import type { Kept } from '../../../core/store/keeping.ts';
import { withResultsByReference } from '../../../core/wrap/with-results-by-reference.ts';
import { referenceIn, rowsOf, workspace } from './workspace.ts';

// One chat in a process, whose person holds fewer roles from one message to the next.
const people = { roles: ['hr', 'ops'], view: { hr: ['*'], ops: ['id'] } };

function chat() {
  const { references } = workspace({ tools: { people } });
  const held = { roles: ['hr'] };
  const context = () => ({ owner: 'Ada', session: 'chat 1', roles: held.roles });
  const call = withResultsByReference(async () => rowsOf(5_000), { references, name: 'people', context });
  return { references, held, context, call: async () => ((await call({ q: 1 })) as Kept).content };
}

it('the same call again is executed for the roles held now, and not answered by what a wider view had stored', async () => {
  const { held, call } = chat();
  const wide = referenceIn(await call());
  expect(wide.fields).toEqual(['id', 'name', 'note']);
  expect(JSON.stringify(await call())).toContain(`stored as ${wide.ref}`);
  held.roles = ['ops'];
  const content = await call();
  expect(referenceIn(content).fields).toEqual(['id']);
  expect(JSON.stringify(content)).not.toContain(wide.ref);
  expect(JSON.stringify(content)).not.toContain('the last one');
});

it('what a wider view had stored is read with its roles, and with fewer it is unknown', async () => {
  const { references, held, context, call } = chat();
  const { ref } = referenceIn(await call());
  const read = () => references.read(references.run(context()), { ref, limit: 1 });
  const listed = () => references.list(references.run(context()), {});
  expect((await read()).text).toContain('customer 0');
  held.roles = ['ops'];
  expect(await read()).toMatchObject({ status: 'error', text: expect.stringMatching(/^NotFound: /) });
  expect((await listed()).text).not.toContain(ref);
  held.roles = ['hr', 'ops'];
  expect((await read()).text).toContain('customer 0');
});
