import {
  applyRidingSelection,
  ridingContent,
  takeRidingSelection,
  withRidingSelection,
} from '../../../core/read/riding-selection.ts';
import { parseSelection } from '../../../core/read/selection.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { listResultsTool } from '../../../core/tool/builtin-tools.ts';
import { type ToolDefinition, toolCatalogue } from '../../../core/tool/tool-definition.ts';
import { ada, indexOf, StoredBodies } from '../../fakes/stored-result.ts';

const tool = {
  name: 'listing',
  inputSchema: { type: 'object', additionalProperties: false, required: ['q'], properties: { q: { type: 'string' } } },
} as unknown as ToolDefinition;

test('it is offered beside the own parameters of every tool but the platform’s', () => {
  const schema = withRidingSelection(tool);
  expect(Object.keys(schema['properties'] as object)).toEqual(['q', '_select']);
  expect(schema).toMatchObject({ additionalProperties: false, required: ['q'] });
  expect(Object.keys(tool.inputSchema['properties'] as object)).toEqual(['q']);
  expect(withRidingSelection(listResultsTool)).toBe(listResultsTool.inputSchema);
});

test('the tool never sees it', () => {
  expect(takeRidingSelection(tool, { q: 'x', _select: { fields: ['id'], limit: 3 } })).toEqual({
    input: { q: 'x' },
    selection: parseSelection({ fields: ['id'], limit: 3 }),
  });
  expect(takeRidingSelection(tool, { q: 'x' })).toEqual({ input: { q: 'x' }, selection: null });
});

test.each([
  { _select: 'all' },
  { _select: ['id'] },
  { _select: { limit: -1 } },
  { _select: { ids: ['1'] } },
  { _select: { limit: '3' } },
])('%j is refused before anything is executed', (input) => {
  expect(() => takeRidingSelection(tool, input as never)).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
});

test('a tool with a parameter of that name keeps it', () => {
  const own = { inputSchema: { type: 'object', properties: { _select: { type: 'string' } } } };
  expect(withRidingSelection(own)).toBe(own.inputSchema);
  expect(takeRidingSelection(own, { _select: 'x' })).toEqual({ input: { _select: 'x' }, selection: null });
});

test('the selection stands where the preview was, with the same coverage in the reference; nothing but the body is asked', async () => {
  const body = Buffer.from(
    JSON.stringify(Array.from({ length: 5000 }, (_, id) => ({ id, name: `n${id}`, pad: 'p'.repeat(50) }))),
  );
  const index = indexOf(body);
  const store = new StoredBodies(body, index);
  const answer = await applyRidingSelection(
    { index, owner: ada, version: 2, supersedes: 'old' },
    parseSelection({ fields: ['name'], offset: 4990 }),
    { store, settings: defaultSettings, tools: toolCatalogue([tool]) },
  );
  const kept = [
    { text: 'a generic preview' },
    { image: { format: 'png', source: { bytes: new Uint8Array(1) } } },
    { json: { data_reference: { ref: index.ref, coverage: { loaded: 40 } } } },
  ];
  const content = ridingContent(kept, answer);
  const parsed = JSON.parse((content[0] as { text: string }).text);
  expect(parsed.data).toEqual(Array.from({ length: 10 }, (_, i) => ({ name: `n${4990 + i}` })));
  expect(parsed.version).toMatchObject({ ref: index.ref, version: 2, supersedes: 'old' });
  expect(content.slice(1)).toEqual([
    kept[1],
    { json: { data_reference: { ref: index.ref, coverage: parsed.coverage } } },
  ]);
  expect(store.requests).toBe(1);
});
