import type { Message, MessageBlock } from '../../../core/content/block.ts';
import { renderMarker } from '../../../core/guard/marker.ts';
import { readSelection } from '../../../core/read/read-result.ts';
import { checkRequest, deliveredRead, readMarker } from '../../../core/read/request-check.ts';
import { parseSelection } from '../../../core/read/selection.ts';
import { VerifiedBody } from '../../../core/read/verified-body.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { indexOf } from '../../fakes/stored-result.ts';

const body = Buffer.from(JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ id, name: `n${id}` }))));
const index = indexOf(body);

async function aRead() {
  const answer = await readSelection(
    {
      index,
      body: new VerifiedBody(
        index,
        { range: async (a, b) => body.subarray(a, b), whole: async () => undefined },
        () => new Error() as never,
      ),
      version: { ref: index.ref } as never,
    },
    parseSelection({ fields: ['id', 'name'], offset: 10, limit: 5 }),
    defaultSettings,
    { idField: 'id', left: null },
  );
  return { toolUseId: 't1', content: [{ text: answer.text }], delivered: answer.delivered };
}

const asked: Message = {
  role: 'assistant',
  content: [{ toolUse: { toolUseId: 't1', name: 'read_result', input: {} } }],
};
const result = (text: string): Message => ({
  role: 'user',
  content: [{ toolResult: { toolUseId: 't1', status: 'success', content: [{ text }] } }],
});
const question: Message = { role: 'user', content: [{ text: 'which?' }] };

function factIn(messages: readonly Message[]) {
  const blocks: readonly MessageBlock[] = messages
    .flatMap((message) => message.content)
    .flatMap((block): readonly MessageBlock[] => ('toolResult' in block ? block.toolResult.content : [block]));
  const texts = blocks.map((block) => ('text' in block ? block.text : ''));
  return JSON.parse(texts.find((text) => text.includes('"coverage"')) as string);
}

test('a request that holds the selection whole is the very same object', async () => {
  const read = await aRead();
  const messages = [question, asked, result(read.content[0]?.text as string)];
  const checked = checkRequest(messages, [read]);
  expect(checked.messages).toBe(messages);
  expect(checked.lost).toEqual([]);
});

test.each<[string, (text: string) => Message[]]>([
  ['shortened', (text) => [question, asked, result(text.slice(0, 60))]],
  ['replaced by a marker', () => [question, asked, result('[full result stored: ref x]')]],
  ['result dropped, call left', () => [question, asked]],
  ['result dropped, another in its place', () => [question, asked, question]],
  ['both dropped', () => [question]],
  ['everything dropped', () => []],
])('%s: a coverage fact, never silence', async (_name, make) => {
  const read = await aRead();
  const checked = checkRequest(make(read.content[0]?.text as string), [read]);
  expect(checked.lost).toEqual(['t1']);
  const fact = factIn(checked.messages);
  expect(fact.coverage).toMatchObject({
    requested: 5,
    loaded: 0,
    total: 50,
    offset: 10,
    next_offset: 10,
    selection_complete: false,
    input_complete: false,
  });
  expect(fact.coverage.reasons).toContain('request_limit');
  expect(fact.selection).toEqual({ fields: ['id', 'name'], offset: 10, limit: 5 });
  const calls = checked.messages.flatMap((m) =>
    m.content.flatMap((b) => ('toolUse' in b ? [b.toolUse.toolUseId] : [])),
  );
  const results = checked.messages.flatMap((m) =>
    m.content.flatMap((b) => ('toolResult' in b ? [b.toolResult.toolUseId] : [])),
  );
  expect(results).toEqual(calls);
});

test('an earlier read may stand as its parameters, from which it can be repeated', async () => {
  const { delivered } = await aRead();
  expect(renderMarker(readMarker(delivered, '2026-07-01T00:00:00Z'), new Date('2026-06-01T00:00:00Z'))).toBe(
    `[earlier read of ${index.ref}: fields id, name, offset 10, limit 5; repeat with read_result]`,
  );
  expect(checkRequest([question], [])).toEqual({ messages: [question], lost: [] });
});

test('only the facts of a read are the facts of a read', async () => {
  const { delivered } = await aRead();
  expect(deliveredRead(JSON.parse(JSON.stringify(delivered)))).toEqual(delivered);
  for (const other of [undefined, null, 'read', [], { kind: 'analysis', ref: 'r', coverage: {} }, { kind: 'read' }]) {
    expect(deliveredRead(other as never)).toBeUndefined();
  }
});
