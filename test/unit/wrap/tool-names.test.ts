import type { Kept } from '../../../core/store/keeping.ts';
import { withResultsByReference } from '../../../core/wrap/with-results-by-reference.ts';
import { referenceIn, rowsOf, workspace } from './workspace.ts';

/** As frameworks and servers have them: providers take letters, digits, `_` and `-`; MCP takes more. */
const names = [
  'getOrders',
  'get-orders',
  'orders.list',
  'github/list_issues',
  'mcp__server__tool',
  'List Orders',
  '注文',
  'a{b}',
  '50%',
  '50%25',
  'n'.repeat(128),
];

it.each(names)('a result of a tool named %s is listed and read, in its run and in a later one', async (name) => {
  const { references } = workspace();
  const context = () => ({ owner: 'Ada', session: 'chat 1' });
  const tool = withResultsByReference(() => rowsOf(9_000), { references, name, context });
  const { ref } = referenceIn(((await tool({})) as Kept).content);
  for (const run of [undefined, 'a later one']) {
    const later = references.run({ ...context(), ...(run && { run }) });
    const listed = JSON.parse((await references.list(later, {})).text) as { readonly results: readonly object[] };
    expect(listed.results).toEqual([expect.objectContaining({ ref, tool: name, records: 9_000 })]);
    const read = await references.read(later, { ref, offset: 8_999 });
    expect(read.text).toContain('the last one');
  }
});

it.each(names)(
  'a view of a tool named %s holds for it: other fields are not stored, other roles read nothing',
  async (name) => {
    const { references } = workspace({ tools: { [name]: { view: { '*': ['id'], boss: ['id', 'name'] } } } });
    const boss = { owner: 'Ada', session: 'chat 1', roles: ['boss'] };
    const tool = withResultsByReference(() => rowsOf(9_000), { references, name, context: () => boss });
    const { ref } = referenceIn(((await tool({})) as Kept).content);
    const read = await references.read(references.run(boss), { ref, offset: 8_999 });
    expect(JSON.parse(read.text).data).toEqual([{ id: 8_999, name: 'customer 8999' }]);
    const others = await references.read(references.run({ ...boss, roles: [] }), { ref, offset: 8_999 });
    expect(others).toMatchObject({ status: 'error', text: expect.stringMatching(/^NotFound/) });
  },
);
