import { agentInstructions } from '../../../prompts/agent-instructions.ts';
import { listsPrompt } from '../../../prompts/lists.ts';
import { tools } from '../../../tools/catalogue.ts';
import { defaultLimit, maxLimit } from '../../../tools/orders/choices.ts';
import { countStatement, ordersInput, rowsStatement, totalColumn } from '../../../tools/orders/query.ts';

const sql = ({ text }: { readonly text: string }) => text.replace(/\s+/g, ' ');

test('the total is counted before the page is cut, over the same conditions as the count alone', () => {
  const input = ordersInput.parse({ country: 'DE', status: 'paid', limit: 10, offset: 20 });
  const rows = rowsStatement(input);
  expect(sql(rows)).toMatch(
    /COUNT\(\*\) OVER \(\) AS total_matching FROM orders WHERE status = \$1 AND country = \$2 ORDER BY id LIMIT \$3 OFFSET \$4$/,
  );
  expect(rows.values).toEqual(['paid', 'DE', 10, 20]);
  const count = countStatement(input);
  expect(sql(count)).toBe(`SELECT COUNT(*) AS ${totalColumn} FROM orders WHERE status = $1 AND country = $2`);
  expect(count.values).toEqual(['paid', 'DE']);
});

test('no value of the input ever stands in a statement', () => {
  const input = ordersInput.parse({ customer: "Robert'); DROP TABLE orders;--", from: '2026-01-01T00:00:00Z' });
  for (const statement of [rowsStatement(input), countStatement(input)]) {
    expect(statement.text).not.toMatch(/Robert|DROP|2026/);
    expect(statement.values).toContain("Robert'); DROP TABLE orders;--");
  }
});

test.each([
  [{ limit: -1 }],
  [{ limit: maxLimit + 1 }],
  [{ limit: 1.5 }],
  [{ offset: -1 }],
  [{ country: 'de' }],
  [{ status: 'lost' }],
  [{ from: 'yesterday' }],
  [{ owner: 'someone' }],
  [{ session: 'a'.repeat(32) }],
])('input %j is refused', (input) => {
  expect(ordersInput.safeParse(input).success).toBe(false);
});

test('what the model is told of the input is what is accepted', () => {
  const tool = tools.find('list_orders');
  const properties = Object.keys(tool?.inputSchema['properties'] ?? {});
  expect(properties.sort()).toEqual(Object.keys(ordersInput.shape).sort());
  expect(ordersInput.parse({})).toEqual({ limit: defaultLimit, offset: 0 });
  expect(tool).toMatchObject({ intake: 'wrapper', exports: true, retry: 'idempotent' });
});

test('the description makes the model count by the total and hand the link on as it stands', () => {
  const description = tools.find('list_orders')?.description ?? '';
  expect(description).toContain(listsPrompt);
  for (const member of [
    'total_matching',
    'rows_exported',
    'truncated',
    'rows_inline',
    'inline_truncated',
    'download_url',
  ]) {
    expect(listsPrompt).toContain(member);
  }
  expect(listsPrompt).toMatch(/never the number of rows that you see/);
  expect(listsPrompt).toMatch(/download_url exactly as it stands/);
  // Both at once: the link of a payload is a given one, not a made-up one.
  expect(agentInstructions('assistant')).toContain('do not make up addresses');
});
