import type { Chats, ChatTurn, NumberedTurn } from '../../../core/chat/chat.ts';
import { chatHistory } from '../../../core/chat/chat-history.ts';
import { finishRun } from '../../../core/chat/finish-run.ts';
import { openChat } from '../../../core/chat/open-chat.ts';
import { Guard } from '../../../core/guard/guard.ts';
import { noLongerAllowed, noLongerAvailable } from '../../../core/guard/marker.ts';
import { runPutAway } from '../../../core/guard/run-put-away.ts';
import { linkOf } from '../../../core/http/links.ts';
import type { ToolOutcome } from '../../../core/run/outcomes.ts';
import { keepResult } from '../../../core/store/keep-result.ts';
import { flow, now, rowsText, rowsTool, run, runId, runWorld, success, use } from '../../fakes/run-world.ts';
import { memoryReplacements, options, request } from '../guard/memory.ts';
import { header } from './sample-turn.ts';

type World = Awaited<ReturnType<typeof runWorld>>;
const readTool = { ...rowsTool, name: 'read_result', roles: ['*'], builtin: true };

/** Keeps what is saved, as the table would: through text. */
function memoryChats(): Chats & { readonly saved: ChatTurn[] } {
  const saved: ChatTurn[] = [];
  const head = () =>
    header({ owner: run.owner, session: run.session, gates: [...new Set(saved.flatMap(({ gates }) => gates))] });
  return {
    saved,
    header: async () => (saved.length === 0 ? undefined : head()),
    headers: async function* () {
      yield [head()];
    },
    save: async (_owner, _session, turn) => {
      const at = saved.findIndex((one) => one.runId === turn.runId);
      if (at >= 0) return { n: at, created: false };
      saved.push(JSON.parse(JSON.stringify(turn)) as ChatTurn);
      return { n: saved.length - 1, created: true };
    },
    turns: async () => saved.map((turn, n): NumberedTurn => ({ ...turn, n })),
    hide: async () => true,
  };
}

/** A run that fetched 120 rows, read records 0–50 and 30–80 of them, and answered. */
async function finished(options: { readonly answer?: string } = {}) {
  const world = await runWorld({ answer: [use('rows', {}, 'fetch')], tools: [rowsTool, readTool] });
  const kept = await keepResult(
    {
      run,
      turn: 1,
      index: 0,
      tool: { ...rowsTool, budgetBytes: 4_096 },
      input: {},
      result: success({ text: rowsText(100) + ' '.repeat(30_000) }),
      resultId: 'd'.repeat(32),
      callDigest: 'x',
      availableUntil: '2026-12-30T00:00:00.000Z',
      supersedes: null,
    },
    world as never,
  );
  const ref = kept.stored?.ref as string;
  const outcome = (toolUseId: string, more: Partial<ToolOutcome>): ToolOutcome => ({
    toolUseId,
    tool: 'rows',
    status: 'success',
    content: [],
    ref: null,
    callDigest: 'x',
    oversize: false,
    at: now.toISOString(),
    ...more,
  });
  await world.outcomes.record(runId, 'tool/1/0', outcome('fetch', { content: kept.content, ref }));
  await say(world, 1, 'user', [{ toolResult: { toolUseId: 'fetch', content: kept.content } }]);
  for (const [turn, offset, loaded] of [
    [2, 0, 50],
    [3, 30, 50],
  ] as const) {
    const id = `read-${turn}`;
    const content = [{ text: `{"data":[],"secret":"from ${offset}"}` }];
    const coverage = {
      unit: 'records',
      requested: loaded,
      loaded,
      total: 100,
      offset,
      next_offset: null,
      byte_complete: true,
      filtered_count: 0,
      selection_complete: true,
      input_complete: false,
      reasons: ['selection'],
    };
    await say(world, turn, 'assistant', [use('read_result', { ref, offset, limit: loaded }, id)]);
    await world.outcomes.record(
      runId,
      `tool/${turn}/0`,
      outcome(id, {
        tool: 'read_result',
        content,
        delivered: { kind: 'read', ref, fields: null, ranges: [[offset, offset + loaded]], coverage },
      }),
    );
    await say(world, turn, 'user', [{ toolResult: { toolUseId: id, content } }]);
  }
  await say(world, 4, 'assistant', [{ text: options.answer ?? 'none found' }]);
  const chats = memoryChats();
  const replacements = memoryReplacements();
  const ports = { ...world, chats, replacements };
  return { world, ref, chats, replacements, ports };
}

const say = (world: World, turn: number, role: 'user' | 'assistant', content: never[] | readonly unknown[]) =>
  world.messages.append(runId, { agent: 'assistant', turn, role, content: content as never });
const end = (ports: Awaited<ReturnType<typeof finished>>['ports'], failure?: { code: string }) =>
  finishRun({ runId, flow, failure }, ports.settings, ports);
const viewer = (world: World, roles: readonly string[], at = now) => ({ roles, tools: world.tools, now: at });
const history = (chats: Chats, world: World, roles = ['ops'], at = now) =>
  chatHistory(chats, run.owner, run.session, { ...viewer(world, roles, at), agent: 'assistant', savedBefore: '9999' });

describe('a saved turn', () => {
  it('is one, however often it is saved, and closes the run', async () => {
    const { ports, chats, world } = await finished();
    expect(await end(ports)).toEqual({ n: 0, created: true });
    expect(await end(ports)).toEqual({ n: 0, created: false });
    expect(chats.saved).toHaveLength(1);
    expect((await world.runs.get(runId))?.status).toBe('succeeded');
    await expect(
      finishRun({ runId, flow: { ...flow, stateMachine: 'other' } }, ports.settings, ports),
    ).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('says 80 of 100, 20 unread, for a model that says "none found"', async () => {
    const { ports, chats, ref } = await finished();
    await end(ports);
    const basis = chats.saved[0]?.basis.results.find((result) => result.ref === ref);
    expect(basis).toMatchObject({ ref, tool: 'rows', total: 100, seen: 80, ranges: [[0, 80]], unread: 20 });
    expect(basis).toMatchObject({ complete: false, reasons: ['selection'] });
    expect(basis?.selections).toEqual([
      { fields: null, offset: 0, loaded: 50 },
      { fields: null, offset: 30, loaded: 50 },
    ]);
  });

  it('continues with exactly what the model saw', async () => {
    const { ports, chats, world } = await finished();
    await end(ports);
    const { messages, origin } = await history(chats, world);
    const thread = await world.messages.thread(runId, 'assistant');
    expect(JSON.stringify(messages)).toBe(JSON.stringify(thread.map(({ role, content }) => ({ role, content }))));
    const block = messages[2]?.content[0];
    expect(block !== undefined && 'toolResult' in block && origin(block.toolResult.content)?.confirmed).toBe(true);
  });

  it('keeps guard replacements as prefix and marker, rendered as they were sent', async () => {
    const { ports, chats, world, replacements } = await finished();
    const thread = (await world.messages.thread(runId, 'assistant')).map(({ role, content }) => ({ role, content }));
    const calls = (await world.outcomes.list<ToolOutcome>(runId, 'tool/')).map(({ key, outcome }) => ({
      turn: Number(key.split('/')[1]),
      index: 0,
      outcome,
    }));
    const putAway = runPutAway(run, calls, { ...world, origin: () => undefined });
    const guard = new Guard({
      ...options(replacements),
      settings: { guard: { triggerShare: 0.85, lowShare: 0.3, replacementBytes: 500 } },
      clock: world.clock,
    });
    const { request: sent } = await guard.fit(request(thread.slice(0, -1), { system: [], tools: [], maxTokens: 0 }), {
      runId,
      turn: 4,
      windowTokens: 2_000,
      putAway,
    });
    expect(replacements.list.map(({ marker }) => marker.kind)).toContain('stored');
    await end(ports);
    const { messages } = await history(chats, world);
    expect(JSON.stringify(messages.slice(0, -1))).toBe(JSON.stringify(sent.messages));
    expect(JSON.stringify(chats.saved)).toContain('"kind":"stored"');
    const later = await history(chats, world, ['ops'], new Date('2027-06-01T00:00:00Z'));
    expect(JSON.stringify(later.messages)).toContain(noLongerAvailable);
    expect(JSON.stringify(later.messages)).not.toContain('full result stored');
  });

  it('an expired reference says so, and the preview stays', async () => {
    const { ports, chats, world, ref } = await finished();
    await end(ports);
    const { messages } = await history(chats, world, ['ops'], new Date('2026-12-30T00:00:00.000Z'));
    expect(JSON.stringify(messages[2])).toContain(noLongerAvailable);
    expect(JSON.stringify(messages[2])).not.toContain(ref);
    const chat = await openChat(
      chats,
      run.owner,
      run.session,
      viewer(world, ['ops'], new Date('2027-01-01T00:00:00Z')),
    );
    expect(chat.turns[0]?.references).toEqual([{ ref, state: 'expired' }]);
  });

  it.each([
    ['a part', { partial: true, total: 1_000_000, evidence: 'total_matching' }, 1_000_000],
    ['the whole', { partial: false, total: 100, evidence: 'total_matching' }, undefined],
    ['a part of an unknown total', { partial: true, total: null, evidence: 'has_more' }, undefined],
  ])('keeps beside %s how many its source holds, and tells a person', async (_name, upstream, sourceTotal) => {
    const { ports, chats, world, ref } = await finished();
    const { store } = ports;
    const readIndex = async (address: Parameters<typeof store.readIndex>[0]) => {
      const index = await store.readIndex(address);
      return index === undefined ? undefined : { ...index, upstream };
    };
    await end({ ...ports, store: { ...store, readIndex, headBody: store.headBody.bind(store) } as never });
    expect(chats.saved[0]?.references[0]).toMatchObject({ ref, records: 100 });
    expect(chats.saved[0]?.references[0]?.sourceTotal).toBe(sourceTotal);
    const chat = await openChat(chats, run.owner, run.session, viewer(world, ['ops'], now));
    const [link] = (chat.turns[0]?.references ?? []).map((one) => linkOf(one, 'https://check.example'));
    expect(link).toMatchObject({ records: 100, source_total: sourceTotal ?? null });
  });

  it('writes no reference to a copy that does not stand in storage', async () => {
    const { ports, chats, ref } = await finished();
    await end({ ...ports, store: { ...ports.store, readIndex: async () => undefined } as never });
    expect(chats.saved[0]?.references).toEqual([]);
    expect(JSON.stringify(chats.saved[0]?.threads[0]?.messages[2])).not.toContain('data_reference');
    expect(JSON.stringify(chats.saved[0]?.threads[0]?.messages[2])).not.toContain(`"ref":"${ref}","tool"`);
  });

  it('shows a person and a model nothing of it once the role is gone', async () => {
    const { ports, chats, world } = await finished({ answer: 'Row 100 is the last one.' });
    await end(ports);
    const { messages } = await history(chats, world, ['someone']);
    const chat = await openChat(chats, run.owner, run.session, viewer(world, ['someone']));
    for (const text of [JSON.stringify(messages), JSON.stringify(chat)]) {
      expect(text).toContain(noLongerAllowed);
      expect(text).toContain(run.message);
      for (const word of ['Row 100', 'one of many', 'secret', '"note"', 'data_reference', '"profile"', '"offset":30'])
        expect(text).not.toContain(word);
    }
    expect(chat.turns[0]).toMatchObject({
      allowed: false,
      answer: noLongerAllowed,
      references: [{ state: 'not_allowed' }],
    });
    expect(chat.turns[0]?.basis.results).toEqual([]);
    const open = await openChat(chats, run.owner, run.session, viewer(world, ['ops']));
    expect(open.turns[0]).toMatchObject({
      allowed: true,
      answer: 'Row 100 is the last one.',
      references: [{ state: 'available' }],
    });
  });

  it('a failed turn keeps question and references, in plain words', async () => {
    const { ports, chats, ref } = await finished();
    await end(ports, { code: 'ContextOverflow' });
    expect(chats.saved[0]).toMatchObject({
      status: 'failed',
      question: run.message,
      references: [{ ref }],
      failure: { code: 'ContextOverflow' },
    });
    expect((await ports.runs.get(runId))?.failure).toMatch(/no longer fits/);
  });

  it('mends blank and ill-formed blocks on load and keeps the rest byte for byte', async () => {
    const { ports, chats, world } = await finished();
    await end(ports);
    const messages = chats.saved[0]?.threads[0]?.messages as unknown as { content: unknown[] }[];
    const before = JSON.stringify((await history(chats, world)).messages);
    messages[1]?.content.push({ text: '  ' }, null, { nonsense: true }, 'text');
    expect(JSON.stringify((await history(chats, world)).messages)).toBe(before);
    messages[0]?.content.push({ text: 'half \ud83d' });
    expect(JSON.stringify((await history(chats, world)).messages[0])).toContain('half \ufffd');
  });

  it('keeps nothing for an erased owner', async () => {
    const { ports, chats, world } = await finished();
    world.erasures.erased.add(run.owner);
    await expect(end(ports)).rejects.toMatchObject({ code: 'Forbidden' });
    expect(chats.saved).toEqual([]);
  });
});

it('calls that a model gave one id: what came of either is closed by the gates of both', async () => {
  const salaries = { ...rowsTool, name: 'salaries', roles: ['hr'] };
  const world = await runWorld({
    answer: [use('salaries', {}, 'same'), use('rows', {}, 'same')],
    tools: [rowsTool, salaries],
    run: { roles: ['ops', 'hr'] },
  });
  const facts = { toolUseId: 'same', status: 'success', ref: null, callDigest: 'x', oversize: false } as const;
  const contents = [[{ text: '{"salary":"S4LARY"}' }], [{ text: '{"row":1}' }]];
  for (const [index, content] of contents.entries()) {
    const tool = ['salaries', 'rows'][index] as string;
    await world.outcomes.record(runId, `tool/1/${index}`, { ...facts, tool, content, at: now.toISOString() });
  }
  const results = contents.map((content) => ({ toolResult: { toolUseId: 'same', content } }));
  await say(world, 1, 'user', results);
  await say(world, 2, 'assistant', [{ text: 'the salary is S4LARY' }]);
  const chats = memoryChats();
  await end({ ...world, chats, replacements: memoryReplacements() });
  const seen = async (roles: readonly string[]) =>
    JSON.stringify(await openChat(chats, run.owner, run.session, viewer(world, roles)));
  expect(await seen(['ops', 'hr'])).toContain('S4LARY');
  expect(await seen(['ops'])).not.toContain('S4LARY');
  expect(JSON.stringify((await history(chats, world, ['ops'])).messages)).not.toContain('S4LARY');
});
