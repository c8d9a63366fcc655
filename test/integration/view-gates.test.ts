import { downloadObjects } from '../../aws/object-url.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { storeFromTool } from '../../aws/tool-wrapper.ts';
import { listResults } from '../../core/catalogue/list-results.ts';
import { finishRun } from '../../core/chat/finish-run.ts';
import { openChat } from '../../core/chat/open-chat.ts';
import type { MessageBlock } from '../../core/content/block.ts';
import { download } from '../../core/download/download.ts';
import { callModel } from '../../core/flow/call-model.ts';
import { runTool } from '../../core/flow/run-tool.ts';
import { readResult } from '../../core/read/read-result.ts';
import { newId } from '../../core/reference/reference.ts';
import { admitRun } from '../../core/run/admit.ts';
import type { Run } from '../../core/run/run.ts';
import { silentTelemetry, systemClock } from '../../core/telemetry/telemetry.ts';
import { type ToolEvent, toolCatalogue } from '../../core/tool/tool-definition.ts';
import { FaultProxy } from '../../local/fault-proxy.ts';
import { rowsTool } from '../fakes/run-world.ts';
import { TableServer } from '../fakes/table-server.ts';
import { bucket, type FlowWorld, flowWorld, makePlaces, newRun } from './faults-world.ts';
import { type EmulatedServices, emulatedServices } from './ministack.ts';

// Who lost only the role that widened a view: everything that the wider view had stored is closed, whichever way it is
// asked for, through a real bucket and real tables; it opens again with the role.
jest.setTimeout(180_000);
const view = { ops: ['id'], hr: ['id', 'salary'], head: ['*'] };
const answering = { ...rowsTool, name: 'people', roles: ['ops', 'hr', 'head'], view };
const wrapping = { ...answering, name: 'wrapped', intake: 'wrapper' as const };
const tools = toolCatalogue([answering, wrapping]);
const secret = 'S4LARY';
const text = JSON.stringify(
  Array.from({ length: 6_000 }, (_, id) => ({ id, salary: `${secret}${id}`, note: `only for the head, ${id}` })),
);

const tableServer = new TableServer();
let services: EmulatedServices;
let proxy: FaultProxy;
let world: FlowWorld;
let held: readonly string[] = [];
let ports: ReturnType<typeof portsOf>;

function portsOf() {
  return {
    ...world.ports,
    tools,
    functions: { people: 'people', wrapped: 'wrapped' },
    currentRoles: async () => held,
    converse: async (request: { readonly messages: readonly { readonly content: readonly MessageBlock[] }[] }) => {
      const answered = request.messages.some(({ content }) => content.some((block) => 'toolResult' in block));
      const use = (name: string): MessageBlock => ({ toolUse: { toolUseId: `use-${name}`, name, input: {} } });
      return {
        message: {
          role: 'assistant' as const,
          content: answered ? [{ text: `the first one has ${secret}0` }] : [use('people'), use('wrapped')],
        },
        stopReason: answered ? 'end_turn' : 'tool_use',
        usage: { inputTokens: 10, outputTokens: 10, cacheReadInputTokens: 0, cacheWriteInputTokens: 0 },
      };
    },
    invoker: {
      invoke: async (name: string, payload: unknown) => {
        if (name === 'people') return { status: 'success', content: [{ text }] };
        return storeFromTool((payload as ToolEvent).context, () => [Buffer.from(text)], {
          store: new S3ResultStore(world.s3, bucket),
          transportBytes: world.ports.settings.transport.maxBytes,
          maxBytes: world.ports.settings.storage.maxBytes,
          contentType: 'application/json',
          view,
        });
      },
    },
  };
}

interface Played {
  readonly run: Run;
  readonly refs: readonly string[];
}

/** A run of this person from its admission to its saved turn, with the roles held now. */
async function play(person: ReturnType<typeof newRun>, session = person.session): Promise<Played> {
  const run = await admitted(person, session);
  const arn = ports.flows.assistant;
  const flow = { execution: `${arn.replace('stateMachine', 'execution')}:${run.runId}`, stateMachine: arn };
  const event = { runId: run.runId, flow };
  await callModel({ ...event, turn: 0, agent: 'assistant' }, ports);
  const outcomes = [];
  for (const index of [0, 1]) outcomes.push(await runTool({ ...event, turn: 1, index }, ports));
  await callModel({ ...event, turn: 2, agent: 'assistant' }, ports);
  await finishRun({ ...event, failure: undefined }, ports.settings, ports);
  const refs = outcomes.map((outcome) => ('ref' in outcome ? (outcome.ref ?? '') : ''));
  expect(refs.every((ref) => ref !== '')).toBe(true);
  return { run, refs };
}

async function admitted(person: ReturnType<typeof newRun>, session: string, references?: readonly string[]) {
  const runId = newId();
  const request = {
    runId,
    owner: person.owner,
    session,
    holder: { username: 'ada' },
    agent: 'assistant',
    message: '?',
  };
  await admitRun({ ...request, ...(references === undefined ? {} : { references }) }, ports);
  return (await ports.runs.get(runId)) as Run;
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'opened',
    (error: { code?: string }) => error.code ?? 'fault',
  );

/** What each way of asking answers with the roles held now. */
async function waysIn(person: ReturnType<typeof newRun>, { run, refs }: Played) {
  const target = (ref: string) => ({ kind: 'result', session: run.session, id: ref.slice(33) }) as const;
  const gate = {
    objects: downloadObjects(world.s3, bucket, silentTelemetry),
    roles: { rolesOf: async () => held },
    tools,
    telemetry: silentTelemetry,
    clock: systemClock,
    urlSeconds: 60,
  };
  const identity = { owner: person.owner, username: 'ada' } as Parameters<typeof download>[0];
  const chat = await openChat(ports.chats, person.owner, run.session, { roles: held, tools, now: new Date() });
  const inSession = await admitted(person, run.session);
  const listed = await listResults(inSession, {}, { ...ports, secret: Buffer.from('x'.repeat(32)) });
  const reads = refs.map((ref) => codeOf(readResult(inSession, { ref, limit: 1 }, ports, null)));
  return {
    downloads: await Promise.all(refs.map((ref) => codeOf(download(identity, target(ref), gate)))),
    reads: await Promise.all(reads),
    admissions: await Promise.all(refs.map((ref) => codeOf(admitted(person, newId(), [ref])))),
    listed: refs.map((ref) => listed.text.includes(ref)),
    chat: { allowed: chat.turns[0]?.allowed, leaks: JSON.stringify(chat).includes(secret) },
  };
}

const open = {
  downloads: ['opened', 'opened'],
  reads: ['opened', 'opened'],
  admissions: ['opened', 'opened'],
  listed: [true, true],
};
const closed = {
  downloads: ['RoleRevoked', 'RoleRevoked'],
  reads: ['NotFound', 'NotFound'],
  admissions: ['NotFound', 'NotFound'],
  listed: [false, false],
  chat: { allowed: false, leaks: false },
};

beforeAll(async () => {
  services = await emulatedServices();
  proxy = new FaultProxy(services.url, await tableServer.listen());
  const url = await proxy.start();
  await makePlaces(url);
  world = flowWorld(url);
  ports = portsOf();
}, 180_000);
afterAll(async () => {
  world?.stop();
  await proxy?.stop();
  tableServer.stop();
  await services?.stop();
});

test('without the role that widened the view every way in is closed; with it, or a wider one, every way is open', async () => {
  const person = newRun();
  held = ['ops', 'hr'];
  const wide = await play(person);
  expect(await waysIn(person, wide)).toMatchObject({ ...open, chat: { allowed: true, leaks: true } });
  held = ['ops'];
  expect(await waysIn(person, wide)).toEqual(closed);
  held = ['head'];
  expect(await waysIn(person, wide)).toMatchObject(open);
  held = ['hr', 'another'];
  expect(await waysIn(person, wide)).toMatchObject(open);
});

test('what was stored narrow stays open to who gained a role since; the run that goes on keeps what it was admitted with', async () => {
  const person = newRun();
  held = ['ops'];
  const narrow = await play(person);
  held = ['ops', 'hr'];
  expect(await waysIn(person, narrow)).toMatchObject(open);
  const wide = await play(person, newId());
  held = ['ops'];
  expect(await codeOf(readResult(wide.run, { ref: wide.refs[0], limit: 1 }, ports, null))).toBe('opened');
});
