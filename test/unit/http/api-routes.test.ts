import type { ChatHeader, NumberedTurn } from '../../../core/chat/chat.ts';
import { type ApiPorts, respondToApi } from '../../../core/http/api-routes.ts';
import { turnOfRun } from '../../../core/http/chat-routes.ts';
import { httpRequest } from '../../../core/http/request.ts';
import type { CatalogResponse, ChatsResponse, RunResponse, ViewResponse } from '../../../core/http/responses.ts';
import { type NewRun, runIdOf } from '../../../core/http/run-routes.ts';
import { newId } from '../../../core/reference/reference.ts';
import type { Run } from '../../../core/run/run.ts';
import { silentTelemetry } from '../../../core/telemetry/telemetry.ts';
import { toolCatalogue } from '../../../core/tool/tool-definition.ts';
import { MemoryCatalogue } from '../../fakes/memory-catalogue.ts';
import { MemoryObjects } from '../../fakes/memory-objects.ts';
import { MemoryOutcomes } from '../../fakes/memory-runs.ts';
import { statusTool } from '../../fakes/people-app.ts';
import { entryOf, indexOf, StoredBodies } from '../../fakes/stored-result.ts';
import { fixedChats, header, owner, session, turn } from '../chat/sample-turn.ts';

const base = 'https://claimcheck.example';
const now = new Date('2026-06-01T00:00:00Z');
const tools = toolCatalogue([statusTool]);
const ref = `${'a'.repeat(32)}/${'1'.repeat(32)}`;
const link = {
  ...{ ref, tool: 'service_status', bytes: 9, records: 1, unit: 'records' as const },
  ...{ availableUntil: '2026-07-01T00:00:00.000Z', gates: ['service_status'] },
};

function run(more: Partial<Run> = {}): Run {
  return {
    ...{ runId: '1'.repeat(32), owner, username: 'u', session, agent: 'assistant', roles: [], rolesDigest: '' },
    ...{
      message: 'm',
      stateMachineArn: 'arn',
      status: 'succeeded',
      admittedAt: now.toISOString(),
      admittedReferences: [],
    },
    ...more,
  } as Run;
}

/** The interface with one person signed in, whose roles a test may change. */
function world(
  options: { heads?: readonly ChatHeader[]; turns?: readonly NumberedTurn[]; runs?: readonly Run[] } = {},
) {
  const started: NewRun[] = [];
  const settled: string[] = [];
  let roles: readonly string[] = ['ops'];
  const objects = new MemoryObjects();
  const catalogue = new MemoryCatalogue();
  const store = new StoredBodies();
  const outcomes = new MemoryOutcomes();
  const clock = { now: () => now };
  const chats = fixedChats([options.heads ?? []], options.turns ?? []);
  const viewer: ApiPorts['viewer'] = async () => ({ roles, tools, now });
  const verifier = { verify: async (token: string) => (token === 'good' ? { sub: 'person-1' } : undefined) };
  const ports = {
    signIn: { verifier, rules: { kind: 'cognito', rolesFromToken: false }, clock } as unknown as ApiPorts['signIn'],
    ...{ chats, catalogue, store, outcomes, viewer, clock, publicBaseUrl: base, agents: ['assistant'] },
    rolesOf: async () => roles,
    sealingSecret: async () => Buffer.alloc(32, 7),
    gate: { objects, tools, telemetry: silentTelemetry, clock, roles: { rolesOf: async () => roles } },
    start: async (request: NewRun) => {
      started.push(request);
      return { runId: request.runId, session: request.session ?? session, created: true };
    },
    find: async (runId: string) => options.runs?.find((one) => one.runId === runId),
    settle: async (open: Run) => {
      settled.push(open.runId);
      return open;
    },
    turn: (identity, ofRun) => turnOfRun(identity, ofRun, { chats, viewer }),
  } satisfies ApiPorts;
  const ask = async <T>(
    method: string,
    path: string,
    more: { headers?: Record<string, string>; body?: unknown } = {},
  ) => {
    const [rawPath = '', rawQueryString = ''] = path.split('?');
    const response = await respondToApi(
      httpRequest({
        rawPath,
        rawQueryString,
        requestContext: { http: { method } },
        headers: { authorization: 'Bearer good', 'content-type': 'application/json', ...more.headers },
        ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
      }),
      ports,
    );
    return { status: response.statusCode, body: JSON.parse(response.body || 'null') as T };
  };
  return {
    ...{ ask, started, settled, objects, catalogue, store, outcomes },
    hold: (held: readonly string[]) => {
      roles = held;
    },
  };
}

test('without a sign-in every address answers the same', async () => {
  const { ask } = world();
  const bad = { headers: { authorization: 'Bearer bad' } };
  const answers = [];
  for (const path of ['/chats', '/catalog', `/runs/${newId()}`, `/results/${ref}/view`, '/nothing']) {
    answers.push(JSON.stringify(await ask('GET', path, bad)));
  }
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toContain('401');
});

test('unknown addresses are not found, other methods are named', async () => {
  const { ask } = world();
  expect((await ask('GET', '/nothing')).status).toBe(404);
  expect((await ask('GET', '/runs')).status).toBe(405);
  expect((await ask('DELETE', '/catalog')).status).toBe(405);
});

test('a run is started for the verified person, under an id that is theirs alone', async () => {
  const { ask, started } = world();
  const body = { agent: 'assistant', message: 'How many?', idempotencyKey: 'k1' };
  expect((await ask('POST', '/runs', { body })).status).toBe(202);
  expect(started[0]).toMatchObject({ runId: runIdOf(owner, 'k1'), agent: 'assistant', session: null });
  expect(started[0]?.identity.owner).toBe(owner);
  expect(runIdOf(owner, 'k1')).toMatch(/^[0-9a-f]{32}$/);
  expect(runIdOf('other' as typeof owner, 'k1')).not.toBe(runIdOf(owner, 'k1'));
});

test.each([
  ['an owner', { owner: 'arthur' }],
  ['roles', { roles: ['admin'] }],
  ['a run id', { runId: newId() }],
  ['a session that is no id', { session: '../x' }],
  ['an agent that is no name', { agent: 'Assistant!' }],
  ['no message', { message: '' }],
  ['no key', { idempotencyKey: '' }],
])('a start that names %s is refused', async (_name, more) => {
  const { ask, started } = world();
  const body = { agent: 'assistant', message: 'm', idempotencyKey: 'k', ...more };
  await expect(ask('POST', '/runs', { body })).rejects.toMatchObject({ code: 'InvalidInput' });
  expect(started).toEqual([]);
});

test.each([
  [{}, 'agent: a name of lower-case letters, digits and hyphens, at most 48 expected; it is required'],
  [{ agent: 'assistant', message: 'm' }, 'idempotencyKey: text of 1 to 200 characters expected; it is required'],
  [{ agent: 'assistant', idempotencyKey: 'k' }, 'message: text of at least 1 character expected; it is required'],
  [
    { agent: 'assistant', message: 'm', idempotencyKey: 7 },
    'idempotencyKey: text of 1 to 200 characters expected; found a whole number',
  ],
  [
    { agent: 'assistant', message: 'm', idempotencyKey: 'k', session: 'x' },
    'session: 32 hexadecimal digits (0-9, a-f) expected',
  ],
  [
    { agent: 'assistant', message: 'm', idempotencyKey: 'k', owner: 'x' },
    'body: owner not expected; known are agent, message, session?, idempotencyKey, references?',
  ],
])('%j is refused by field and expectation: %s', async (body, message) => {
  const { ask } = world();
  const error: { code?: string; message?: string } = await ask('POST', '/runs', { body }).then(
    () => ({}),
    (thrown: { code: string; message: string }) => thrown,
  );
  expect(error.code).toBe('InvalidInput');
  expect(error.message?.startsWith(message)).toBe(true);
});

test('a body of another content type is refused: a form of another site cannot say JSON', async () => {
  const { ask } = world();
  const body = { agent: 'assistant', message: 'm', idempotencyKey: 'k' };
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
    await expect(ask('POST', '/runs', { body, headers: { 'content-type': type } })).rejects.toMatchObject({
      code: 'InvalidInput',
    });
  }
});

test('a run is shown to its owner alone; an open one is asked about at its execution', async () => {
  const theirs = run({ runId: '2'.repeat(32), owner: 'arthur' as typeof owner });
  const open = run({ runId: '3'.repeat(32), status: 'admitted' });
  const { ask, settled, outcomes } = world({ runs: [run(), theirs, open] });
  for (const id of [theirs.runId, newId(), 'x', '..', '1'.repeat(31)]) {
    await expect(ask('GET', `/runs/${id}`)).rejects.toMatchObject({ code: 'NotFound', message: 'Not found.' });
  }
  await outcomes.record(open.runId, 'tool/1/0', {
    tool: 'service_status',
    status: 'success',
    content: [{ text: 'secret' }],
  });
  const { body } = await ask<RunResponse>('GET', `/runs/${open.runId}`);
  expect(settled).toEqual([open.runId]);
  expect(body).toMatchObject({
    status: 'admitted',
    answer: null,
    steps: [{ tool: 'service_status', status: 'success' }],
  });
  expect(JSON.stringify(body)).not.toContain('secret');
});

test('a step’s name is a tool’s, never a model’s words; what is no longer allowed has no steps either', async () => {
  const saved = { ...turn({ gates: ['service_status'] }), n: 0 };
  const { ask, hold, outcomes } = world({ runs: [run()], heads: [header()], turns: [saved] });
  for (const [at, tool] of ['service_status', 'The total is 4711, see https://evil.example'].entries()) {
    await outcomes.record(run().runId, `tool/1/${at}`, { tool, status: 'error', content: [] });
  }
  expect((await ask<RunResponse>('GET', `/runs/${run().runId}`)).body.steps).toEqual([
    { tool: 'service_status', status: 'error' },
    { tool: 'unknown', status: 'error' },
  ]);
  hold([]);
  expect((await ask<RunResponse>('GET', `/runs/${run().runId}`)).body).toMatchObject({ answer: null, steps: [] });
});

test('an answer carries the links made by code; a role that is gone takes answer and links away', async () => {
  const saved = {
    ...turn({ answer: 'see https://evil.example', references: [link], gates: ['service_status'] }),
    n: 0,
  };
  const { ask, hold } = world({ runs: [run()], heads: [header()], turns: [saved] });
  const shown = (await ask<RunResponse>('GET', `/runs/${run().runId}`)).body;
  expect(shown.links).toEqual([
    expect.objectContaining({ state: 'available', download_url: `${base}/results/${ref}`, export_url: null }),
  ]);
  hold([]);
  const refused = (await ask<RunResponse>('GET', `/runs/${run().runId}`)).body;
  expect(refused).toMatchObject({ answer: null, links: [{ state: 'not_allowed', download_url: null, tool: null }] });
  expect(refused.failure).toContain('no longer allow');
});

test('chats come newest first, a thousand an answer, with a cursor that is the owner’s own', async () => {
  const heads = Array.from({ length: 1_203 }, (_, n) =>
    header({ session: n.toString(16).padStart(32, '0'), updatedAt: new Date(now.getTime() + n * 1000).toISOString() }),
  );
  const { ask } = world({ heads });
  const first = (await ask<ChatsResponse>('GET', '/chats')).body;
  expect([first.chats.length, first.total, first.chats[0]?.session]).toEqual([1_000, 1_203, heads.at(-1)?.session]);
  const second = (await ask<ChatsResponse>('GET', `/chats?cursor=${first.next_cursor}`)).body;
  expect([second.chats.length, second.next_cursor, second.chats.at(-1)?.session]).toEqual([
    203,
    null,
    heads[0]?.session,
  ]);
  await expect(ask('GET', '/chats?cursor=abc')).rejects.toMatchObject({ code: 'InvalidInput' });
});

test('the catalogue tells of what the gate refuses only that it is there', async () => {
  const { ask, catalogue, hold } = world();
  const index = indexOf(Buffer.from('[{"a":1}]'), { gates: ['service_status'], tool: 'service_status' });
  await catalogue.add(entryOf(index, { owner, exportId: 'e'.repeat(32) }));
  await catalogue.add(
    entryOf(index, { owner, ref: `${'a'.repeat(32)}/${'2'.repeat(32)}`, availableUntil: now.toISOString() }),
  );
  await catalogue.add(entryOf(index, { owner, ref: `${'a'.repeat(32)}/${'3'.repeat(32)}`, gates: [] }));
  await catalogue.add(entryOf(index, { ref: `${'b'.repeat(32)}/${'4'.repeat(32)}` }));
  const { results } = (await ask<CatalogResponse>('GET', '/catalog')).body;
  expect(results.map(({ state }) => state).sort()).toEqual(['available', 'expired', 'not_allowed']);
  expect(results.find(({ state }) => state === 'available')).toMatchObject({
    download_url: `${base}/results/${index.ref}`,
    export_url: `${base}/exports/${'e'.repeat(32)}`,
    records: 1,
  });
  hold([]);
  for (const row of (await ask<CatalogResponse>('GET', '/catalog')).body.results) {
    expect(row).toMatchObject({
      state: 'not_allowed',
      records: null,
      bytes: null,
      sha256: null,
      fields: [],
      download_url: null,
    });
  }
});

test('a picture is told by name and kind, and no line of its bytes is shown', async () => {
  const { ask, objects, catalogue, store, hold } = world();
  const png = Buffer.from('\u0089PNG\r\n\u001a\nline one\nline two\n', 'latin1');
  const index = indexOf(png, {
    ...{ gates: ['service_status'], tool: 'analyze_result', fileName: 'chart.png', pictureType: 'image/png' },
  });
  const place = { kind: 'result', session: 'a'.repeat(32), id: '1'.repeat(32) } as const;
  objects.put(owner, place);
  store.bodies.set(ref, { body: png, index });
  await catalogue.add(entryOf(index, { owner, fileName: 'chart.png', pictureType: 'image/png' }));
  const told = { picture_type: 'image/png', file_name: 'chart.png', bytes: png.length, records: null, kind: null };
  expect((await ask<CatalogResponse>('GET', '/catalog')).body.results).toEqual([expect.objectContaining(told)]);
  const view = (await ask<ViewResponse>('GET', `/results/${ref}/view`)).body;
  expect(view).toMatchObject({ ...told, text: null, table: null });
  hold([]);
  expect((await ask<CatalogResponse>('GET', '/catalog')).body.results).toEqual([
    expect.objectContaining({ state: 'not_allowed', picture_type: null, file_name: null, bytes: null }),
  ]);
});

test('a view needs the commit record, not only a body', async () => {
  const { ask, objects } = world();
  objects.put(owner, { kind: 'result', session: 'a'.repeat(32), id: '1'.repeat(32) });
  await expect(ask('GET', `/results/${ref}/view`)).rejects.toMatchObject({ code: 'NotFound' });
});

test('a chat is deleted by its owner; without a token, only from our own pages', async () => {
  const { ask } = world({ heads: [header()] });
  expect((await ask('DELETE', `/chats/${session}`)).status).toBe(200);
  await expect(ask('DELETE', `/chats/${newId()}`)).rejects.toMatchObject({ code: 'NotFound' });
});
