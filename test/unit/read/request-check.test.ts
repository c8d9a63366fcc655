import type { Message, MessageBlock } from '../../../core/content/block.ts';
import { renderMarker } from '../../../core/guard/marker.ts';
import type { Replacement } from '../../../core/guard/replacements.ts';
import type { ModelRequest } from '../../../core/model/model.ts';
import { checkedModel, currentReads } from '../../../core/read/checked-model.ts';
import { readSelection } from '../../../core/read/read-result.ts';
import { checkRequest, deliveredRead, readMarker } from '../../../core/read/request-check.ts';
import { parseSelection } from '../../../core/read/selection.ts';
import { VerifiedBody } from '../../../core/read/verified-body.ts';
import type { ToolOutcome } from '../../../core/run/outcomes.ts';
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

describe('the model behind the check', () => {
  const outcomeOf = (read: Awaited<ReturnType<typeof aRead>>, change: object = {}) =>
    ({ ...read, tool: 'read_result', status: 'success', ...change }) as unknown as ToolOutcome;

  async function sent(
    messages: readonly Message[],
    outcomes: readonly ToolOutcome[],
    replacements: readonly Replacement[] = [],
  ) {
    const telemetry = { decision: jest.fn(), count: jest.fn() };
    const requests: ModelRequest[] = [];
    const request = { messages } as ModelRequest;
    const model = {
      converse: async (made: ModelRequest) => {
        requests.push(made);
        return {} as never;
      },
    };
    const reads = currentReads(messages.some((m) => m.role === 'assistant') ? messages : [question, asked], outcomes);
    await checkedModel(model, reads, { replacements: async () => replacements, telemetry }).converse(request);
    return {
      same: requests[0] === request,
      messages: requests[0]?.messages ?? [],
      lost: telemetry.decision.mock.calls,
    };
  }

  test('passes on the very same request when nothing is lost, and for earlier reads that stand as markers', async () => {
    const read = await aRead();
    const whole = [question, asked, result(read.content[0]?.text as string)];
    expect((await sent(whole, [outcomeOf(read)])).same).toBe(true);
    const later: Message[] = [
      question,
      asked,
      result('[earlier read of …]'),
      { role: 'assistant', content: [{ toolUse: { toolUseId: 't2', name: 'list_results', input: {} } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 't2', content: [{ text: '{}' }] } }] },
    ];
    expect((await sent(later, [outcomeOf(read)])).same).toBe(true);
  });

  test('a selection that request assembly dropped reaches the model as a coverage fact, and the log', async () => {
    const read = await aRead();
    const { messages, lost } = await sent([question, asked, result('cut')], [outcomeOf(read)]);
    expect(factIn(messages).coverage).toMatchObject({ loaded: 0, selection_complete: false });
    expect(lost).toEqual([['selection_lost', { lost: 1 }]]);
  });

  test('what the guard itself says to be undelivered stands as the guard says it', async () => {
    const read = await aRead();
    const marker = { kind: 'unfit', refs: [read.delivered.ref], bytes: 9 } as const;
    const replacement: Replacement = {
      toolUseId: 't1',
      digest: '',
      prefix: '',
      marker,
      bytes: 9,
      shown: 0,
      turn: 1,
      madeAt: '2026-06-01T00:00:00Z',
    };
    const said = result(renderMarker(marker, new Date()));
    expect((await sent([question, asked, said], [outcomeOf(read)], [replacement])).same).toBe(true);
    expect((await sent([question, asked, said], [outcomeOf(read)])).same).toBe(false);
  });

  test('a failed read, and an older outcome under the same id, are not looked for', async () => {
    const read = await aRead();
    expect((await sent([question, asked, result('error')], [outcomeOf(read, { status: 'error' })])).same).toBe(true);
    const newer = outcomeOf({ ...read, content: [{ text: 'newer' }] });
    expect((await sent([question, asked, result('newer')], [outcomeOf(read), newer])).same).toBe(true);
  });
});
