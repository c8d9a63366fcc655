import fc from 'fast-check';
import { analyzeResult } from '../../../core/analysis/analyze-result.ts';
import { listResults } from '../../../core/catalogue/list-results.ts';
import type { Chats, ChatTurn } from '../../../core/chat/chat.ts';
import { chatHistory } from '../../../core/chat/chat-history.ts';
import { openChat } from '../../../core/chat/open-chat.ts';
import { saveTurn } from '../../../core/chat/save-turn.ts';
import { download } from '../../../core/download/download.ts';
import { runTool } from '../../../core/flow/run-tool.ts';
import { identityOf } from '../../../core/identity/identity.ts';
import { readResult } from '../../../core/read/read-result.ts';
import { rolesDigest } from '../../../core/run/roles-digest.ts';
import type { Run } from '../../../core/run/run.ts';
import { decodeMetadata, encodeMetadata } from '../../../core/store/body-metadata.ts';
import { silentTelemetry } from '../../../core/telemetry/telemetry.ts';
import { keptFields } from '../../../core/tool/kept-fields.ts';
import { type ToolDefinition, toolCatalogue } from '../../../core/tool/tool-definition.ts';
import { flow, now, rowsTool, run, runId, runWorld, ScriptedInvoker, success, use } from '../../fakes/run-world.ts';
import { header } from '../chat/sample-turn.ts';
import { memoryReplacements } from '../guard/memory.ts';

// Whatever roles a result was stored with, under whatever view, and whatever came of roles and view since: each way to it
// opens exactly for whom every stored field is kept now, and none shows a field to somebody else.
const fields = ['id', 'name', 'salary', 'a,b{c}#%'];
const roles = ['clerk', 'payroll', 'head'];
const records = Array.from({ length: 120 }, (_, n) =>
  Object.fromEntries(fields.map((field, at) => [field, `VALUE${at}-${n}`])),
);
const laterRun = '9'.repeat(32);

const view = fc.option(
  fc.record({
    clerk: fc.subarray(fields, { minLength: 1 }),
    payroll: fc.subarray(fields, { minLength: 1 }),
    head: fc.constant(['*']),
  }),
  { nil: undefined, freq: 5 },
);
const held = fc.subarray(roles);
const admitting = fc.subarray(roles, { minLength: 1 });
const toolOf = (name: string, allowed: readonly string[], kept: ToolDefinition['view']): ToolDefinition => ({
  ...rowsTool,
  ...{ name, roles: allowed, budgetBytes: 2_048, reuse: { maxAgeSeconds: 600 } },
  ...(kept === undefined ? {} : { view: kept }),
});
const shown = (text: string) => fields.filter((_field, at) => text.includes(`VALUE${at}-`));
const answered = (promise: Promise<unknown>) =>
  promise.then(
    (value) => JSON.stringify(value),
    () => null,
  );

/** A chat of one turn. */
function oneTurn(): Chats {
  let saved: ChatTurn | undefined;
  const head = () =>
    saved && header({ owner: run.owner, session: run.session, gates: saved.gates, expiresAt: 9_999_999_999 });
  return {
    header: async () => head(),
    turns: async () => (saved === undefined ? [] : [{ ...saved, n: 0 }]),
    save: async (_owner: unknown, _session: unknown, turn: ChatTurn) => {
      saved = JSON.parse(JSON.stringify(turn)) as ChatTurn;
      return { n: 0, created: true };
    },
  } as Partial<Chats> as Chats;
}

async function ways(stored: ToolDefinition, then: readonly string[], current: ToolDefinition, held: readonly string[]) {
  const invoker = new ScriptedInvoker(success({ text: JSON.stringify(records) }));
  const first: Run = { ...run, roles: then, rolesDigest: rolesDigest(then) };
  const world = await runWorld({ tools: [stored], answer: [use('people', { q: 1 })], invoker, run: first });
  const made = await runTool({ runId, turn: 1, index: 0, flow }, world);
  const ref = 'ref' in made ? (made.ref ?? '') : '';
  const tools = (definition: ToolDefinition) => ({ ...world, tools: toolCatalogue([definition]) });
  const engine = {
    run: async () => ({
      ...{ outcome: 'value' as const, text: JSON.stringify(records), chart: null },
      inputs: [{ name: 'data', records: 120, bytes: 1, columns: [] }],
    }),
  };
  const analyze = (by: Run, definition: ToolDefinition, index: number) =>
    analyzeResult(by, { turn: 2, index }, { inputs: { data: ref }, script: 'return 1', keep: true }, {
      ...{ ...tools(definition), engine, roles: { rolesOf: async () => by.roles } },
      ...{ signedUrl: async () => 'https://x.example', limits: { deadlineMs: 1, maxOutputBytes: 1 } },
    } as never);
  const kept = JSON.parse((await analyze(first, stored, 0)).text).kept.ref as string;
  const { content } = (await world.outcomes.find(runId, 'tool/1/0')) as { content: unknown };
  for (const [turn, role, blocks] of [
    [1, 'user', [{ toolResult: { toolUseId: 'use-1', content } }]],
    [2, 'assistant', [{ text: JSON.stringify(content) }]],
  ] as const) {
    await world.messages.append(runId, { agent: 'assistant', turn, role, content: blocks as never });
  }
  const chats = oneTurn();
  await saveTurn(first, undefined, world.settings, { ...world, chats, replacements: memoryReplacements() } as never);

  const later: Run = { ...first, runId: laterRun, roles: held, rolesDigest: rolesDigest(held) };
  const ports = tools(current);
  await ports.runs.admit(later);
  await ports.messages.append(laterRun, {
    agent: 'assistant',
    turn: 5,
    role: 'assistant',
    content: [use('people', { q: 1 })],
  });
  const again = { execution: flow.execution.replace(runId, laterRun), stateMachine: flow.stateMachine };
  const viewer = { roles: held, tools: ports.tools, now };
  const person = identityOf({ sub: 'ada' }, { kind: 'cognito' });
  const fetch = (reference: string) => {
    const target = { kind: 'result', session: run.session, id: reference.slice(33) } as const;
    const look = async () => {
      const body = await world.store.headBody({ ...run, id: target.id });
      if (body === undefined) return undefined;
      const metadata = decodeMetadata(encodeMetadata(body.metadata), 'application/json');
      return {
        bytes: body.bytes,
        contentType: '',
        tools: metadata?.tools ?? [],
        availableUntil: body.metadata.availableUntil,
      };
    };
    const objects = { look, signedUrl: async () => 'https://signed.example' };
    return answered(
      download(person, target, {
        ...ports,
        objects,
        roles: { rolesOf: async () => held },
        telemetry: silentTelemetry,
        urlSeconds: 60,
      }),
    );
  };
  const listed = JSON.stringify(await listResults(later, {}, { ...ports, secret: Buffer.alloc(32, 1) }));
  const chat = JSON.stringify(await openChat(chats, run.owner, run.session, viewer));
  const resumed = await chatHistory(chats, run.owner, run.session, {
    ...viewer,
    ...{ agent: 'assistant', savedBefore: '9999' },
  });
  const analysed = await answered(analyze({ ...later }, current, 1));
  await runTool({ runId: laterRun, turn: 5, index: 0, flow: again }, ports);
  const repeat = JSON.stringify(await world.outcomes.find(laterRun, 'tool/5/0'));
  return {
    opened: {
      read: (await answered(readResult(later, { ref }, ports))) !== null,
      'read what was kept': (await answered(readResult(later, { ref: kept }, ports))) !== null,
      listed: listed.includes(ref) && listed.includes(kept),
      analysed: analysed !== null,
      downloaded: (await fetch(ref)) !== null,
      'downloaded what was kept': (await fetch(kept)) !== null,
      chat: shown(chat).length > 0,
      resumed: shown(JSON.stringify(resumed.messages)).length > 0,
    },
    repeat: shown(repeat),
  };
}

test('every way to a stored result opens exactly for whom its fields are kept now', async () => {
  let [opened, closed] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      admitting,
      view,
      held,
      admitting,
      view,
      held,
      fc.boolean(),
      async (inn, was, then, out, is, later, same) => {
        const stored = toolOf('people', inn, was);
        fc.pre(then.some((role) => inn.includes(role)));
        const current = same ? stored : toolOf('people', out, is);
        const [had, has] = [keptFields(stored, then), keptFields(current, later)];
        const allowed = later.some((role) => current.roles.includes(role));
        const covered = has === null || had?.every((field) => has.includes(field)) === true;
        const found = await ways(stored, then, current, later);
        const expected = allowed && covered;
        expect(Object.entries(found.opened).filter(([, open]) => open !== expected)).toEqual([]);
        // The call made again: executed, reused or refused, never with more than is kept now.
        expect(found.repeat.filter((field) => !allowed || (has !== null && !has.includes(field)))).toEqual([]);
        if (expected) opened += 1;
        else closed += 1;
      },
    ),
    { numRuns: 100 },
  );
  expect(Math.min(opened, closed)).toBeGreaterThan(10);
});
