import type { ChatHeader, NumberedTurn, ResultOrigin } from '../../../core/chat/chat.ts';
import { handOff } from '../../../core/hand-off/hand-off.ts';
import { handOffFacts } from '../../../core/hand-off/hand-off-facts.ts';
import type { ToolOutcome } from '../../../core/run/outcomes.ts';
import { keepResult } from '../../../core/store/keep-result.ts';
import { passesGates } from '../../../core/tool/tool-definition.ts';
import { handOffWording } from '../../../prompts/hand-off.ts';
import { writerInstructions } from '../../../prompts/writer.ts';
import { now, rowsText, rowsTool, run, runId, runWorld, success, use } from '../../fakes/run-world.ts';
import { indexOf } from '../../fakes/stored-result.ts';

const listTool = { ...rowsTool, name: 'list_results', roles: ['*'], builtin: true };

/** A delegate that fetched 500 rows and paraphrases link and total. */
async function delegated(text: string) {
  const world = await runWorld({ answer: [use('rows', {}, 'fetch')], tools: [rowsTool, listTool] });
  const tool = { ...rowsTool, budgetBytes: 4_096 };
  const kept = await keepResult(
    {
      run,
      turn: 1,
      index: 0,
      tool,
      input: {},
      result: success({ text: rowsText(500) }),
      resultId: 'd'.repeat(32),
      callDigest: 'x',
      availableUntil: '2026-12-10T00:00:00.000Z',
      supersedes: null,
    },
    world as never,
  );
  const outcome: ToolOutcome = {
    toolUseId: 'fetch',
    tool: 'rows',
    status: 'success',
    content: kept.content,
    ref: kept.stored?.ref ?? null,
    callDigest: 'x',
    oversize: true,
    at: now.toISOString(),
  };
  await world.outcomes.record(runId, 'tool/1/0', outcome);
  await world.messages.append(runId, {
    agent: 'assistant',
    turn: 1,
    role: 'user',
    content: [{ toolResult: { toolUseId: 'fetch', content: kept.content } }],
  });
  await world.messages.append(runId, { agent: 'assistant', turn: 2, role: 'assistant', content: [{ text }] });
  const ports = { ...world, wording: handOffWording };
  return { world, ports, ref: kept.stored?.ref as string };
}

/** A turn in whose thread stands one result with this origin. */
function turnOf(origin: Partial<ResultOrigin>): Partial<NumberedTurn> {
  const known = { tool: 'rows', ref: null, sources: [], gates: [], availableUntil: null, confirmed: true, ...origin };
  const toolResult = { toolUseId: 'u', content: [{ text: 'x' }] };
  return { threads: [{ agent: 'assistant', messages: [{ role: 'user', content: [{ toolResult, origin: known }] }] }] };
}

const event = { turn: 2, from: 'assistant', to: 'writer' };

describe('handOff', () => {
  it('puts link, total and flags verbatim on top, whatever the delegate wrote', async () => {
    const { world, ports, ref } = await delegated(
      'I found about five hundred, see https://evil.example/x for all of them.',
    );
    expect(await handOff(run, event, ports)).toEqual({ turn: 2, next: 3, ref: null, references: [ref] });
    const [message] = await world.messages.thread(runId, 'writer');
    const text = JSON.parse(JSON.stringify(message)).content[0].text as string;
    const facts = text.slice(0, text.indexOf('What assistant wrote'));
    expect(facts).toContain(`[rows](https://check.example/results/${ref})`);
    expect(facts).toContain('- total: 500 records in all');
    expect(facts).toMatch(/- seen so far: \d+ of 500 records, \d+ unread/);
    expect(facts).toContain('- available until: 2026-12-10T00:00:00.000Z');
    expect(facts).toContain(run.message);
    expect(facts).not.toContain('evil.example');
    expect(message?.content[1]).toMatchObject({ json: { data_references: [{ ref, records: 500 }] } });
    expect((await world.grants.all(runId)).map((grant) => grant.ref)).toContain(ref);
  });

  it('tells of a search that it was executed and how many hits are held, never a total', () => {
    const index = { ...indexOf(Buffer.from(rowsText(25))), population: 'open' as const };
    const facts = handOffFacts({ ref: index.ref, index, url: 'https://check.example/results/x', basis: undefined });
    expect(facts).toContain('the search was executed, 25 hits are held');
    expect(facts).not.toContain('in all');
  });

  it('stores a shortened text whole, under the gates and the date of its sources; a repeat stores nothing twice', async () => {
    const long = `${'a long report. '.repeat(2_000)}THE DECISIVE TAIL`;
    const { world, ports, ref } = await delegated(long);
    const first = await handOff(run, event, ports);
    expect(await handOff(run, event, ports)).toEqual(first);
    const index = await world.store.readIndex({
      owner: run.owner,
      session: run.session,
      id: first.ref?.slice(33) as string,
    });
    expect(index).toMatchObject({
      tool: 'hand-off',
      gates: ['rows'],
      derivedFrom: [ref],
      availableUntil: '2026-12-10T00:00:00.000Z',
      bytes: Buffer.byteLength(long),
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of (await world.store.readBody(
      { owner: run.owner, session: run.session, id: first.ref?.slice(33) as string },
      index?.etag as string,
    )) ?? [])
      pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(long);
    expect(passesGates(world.tools, index?.gates ?? [], ['ops'])).toBe(true);
    expect(passesGates(world.tools, index?.gates ?? [], ['someone'])).toBe(false);
    const [message] = await world.messages.thread(runId, 'writer');
    const text = JSON.parse(JSON.stringify(message)).content[0].text as string;
    expect(text).not.toContain('THE DECISIVE TAIL');
    expect(text).toContain(
      `of ${Buffer.byteLength(long)} bytes; the whole text is ref ${first.ref}, available until 2026-12-10T00:00:00.000Z,`,
    );
    // The budget is the text's alone: facts and references are whole beside it.
    expect(text).toContain('- total: 500 records in all');
    expect(message?.content[1]).toMatchObject({ json: { data_references: [{ ref }] } });
  });

  it('a text that rests on no tool is open to its owner by the open gate', async () => {
    const world = await runWorld({ tools: [rowsTool, listTool] });
    await world.messages.append(runId, {
      agent: 'assistant',
      turn: 1,
      role: 'assistant',
      content: [{ text: 'x'.repeat(20_000) }],
    });
    const { ref } = await handOff(
      run,
      { turn: 1, from: 'assistant', to: 'writer' },
      { ...world, wording: handOffWording },
    );
    const index = await world.store.readIndex({ owner: run.owner, session: run.session, id: ref?.slice(33) as string });
    expect(passesGates(world.tools, index?.gates ?? [], ['anything'])).toBe(true);
  });

  it('a text told from the chat’s earlier turns carries their gates, though no tool was called now', async () => {
    const world = await runWorld({ tools: [rowsTool, listTool] });
    await world.messages.append(runId, {
      agent: 'assistant',
      turn: 1,
      role: 'assistant',
      content: [{ text: 'x'.repeat(20_000) }],
    });
    const asked: unknown[] = [];
    const header = { session: run.session, gates: ['rows'] } as unknown as ChatHeader;
    const chats = {
      header: async (...place: unknown[]) => {
        asked.push(place);
        return header;
      },
      turns: async () => [],
    };
    const { ref } = await handOff(
      run,
      { turn: 1, from: 'assistant', to: 'writer' },
      { ...world, chats, wording: handOffWording },
    );
    const index = await world.store.readIndex({ owner: run.owner, session: run.session, id: ref?.slice(33) as string });
    expect(asked).toEqual([[run.owner, run.session]]);
    expect(passesGates(world.tools, index?.gates ?? [], ['ops'])).toBe(true);
    expect(passesGates(world.tools, index?.gates ?? [], ['someone'])).toBe(false);
    expect(await world.catalogue.find(run.owner, ref ?? '')).toMatchObject({ gates: ['rows'] });
  });

  it.each<[string, Partial<NumberedTurn>, string]>([
    [
      'the reference of an earlier turn',
      { references: [{ availableUntil: '2026-12-03T00:00:00.000Z' }] as never },
      '2026-12-03T00:00:00.000Z',
    ],
    [
      'a result that an earlier turn showed',
      turnOf({ availableUntil: '2026-12-04T00:00:00.000Z' }),
      '2026-12-04T00:00:00.000Z',
    ],
    ['a result that an earlier turn read', turnOf({ sources: ['SOURCE'] }), '2026-12-10T00:00:00.000Z'],
    [
      'what was past its date at the admission, so nothing',
      turnOf({ availableUntil: '2026-11-01T00:00:00.000Z' }),
      '2026-12-30T12:00:00.000Z',
    ],
    [
      'a turn saved after the admission, so nothing',
      { ...turnOf({ availableUntil: '2026-12-04T00:00:00.000Z' }), at: '2026-11-30T12:00:01.000Z' },
      '2026-12-30T12:00:00.000Z',
    ],
  ])('a text told from earlier turns is kept no longer than %s', async (_name, earlier, until) => {
    const { world, ref: source } = await delegated('x');
    const told = JSON.parse(
      JSON.stringify({ at: '2026-11-20T00:00:00.000Z', threads: [], references: [], ...earlier }).replace(
        'SOURCE',
        source,
      ),
    ) as NumberedTurn;
    const chats = { header: async () => undefined, turns: async () => [told] };
    const other = { ...run, runId: 'e'.repeat(32), admittedAt: now.toISOString() };
    await world.runs.admit(other);
    await world.messages.append(other.runId, {
      agent: 'assistant',
      turn: 1,
      role: 'assistant',
      content: [{ text: 'x'.repeat(20_000) }],
    });
    const { ref } = await handOff(
      other,
      { turn: 1, from: 'assistant', to: 'writer' },
      { ...world, chats, wording: handOffWording },
    );
    const index = await world.store.readIndex({ owner: run.owner, session: run.session, id: ref?.slice(33) as string });
    expect(index?.availableUntil).toBe(until);
    expect(await world.catalogue.find(run.owner, ref ?? '')).toMatchObject({ availableUntil: until });
    // And so the next agent is told.
    expect(JSON.stringify(await world.messages.thread(other.runId, 'writer'))).toContain(
      `ref ${ref}, available until ${until}`,
    );
  });

  it('an agent that said nothing has nothing to hand on', async () => {
    const world = await runWorld({ tools: [rowsTool] });
    await expect(
      handOff(run, { turn: 1, from: 'other', to: 'writer' }, { ...world, wording: handOffWording }),
    ).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('the writer is told about links, totals and parts', () => {
    for (const words of [/repeat it exactly/, /count from the totals/, /Never write "all"/])
      expect(writerInstructions).toMatch(words);
  });
});
