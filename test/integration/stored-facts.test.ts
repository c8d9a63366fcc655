import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { BedrockModel } from '../../aws/bedrock-model.ts';
import { itemsWithPrefix } from '../../aws/table-pages.ts';
import { finishRun } from '../../core/chat/finish-run.ts';
import type { Message, MessageBlock } from '../../core/content/block.ts';
import { callModel } from '../../core/flow/call-model.ts';
import { runTool } from '../../core/flow/run-tool.ts';
import { guardedConverse } from '../../core/guard/guarded-converse.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import { readResult } from '../../core/read/read-result.ts';
import { newId } from '../../core/reference/reference.ts';
import { admitRun } from '../../core/run/admit.ts';
import { listResultsTool, readResultTool } from '../../core/tool/builtin-tools.ts';
import { toolCatalogue } from '../../core/tool/tool-definition.ts';
import { builtinHandler } from '../../lambdas/builtin-handler.ts';
import { FaultProxy } from '../../local/fault-proxy.ts';
import { type ModelServer, startModelServer } from '../../local/model-server/server.ts';
import { rowsText, rowsTool } from '../fakes/run-world.ts';
import { TableServer } from '../fakes/table-server.ts';
import { bucket, type FlowWorld, flowWorld, makePlaces, newRun } from './faults-world.ts';
import { type EmulatedServices, emulatedServices } from './ministack.ts';

jest.setTimeout(180_000);
const count = 4_000;
const secret = 'S3CR3T-41c9';
const tables = ['runs', 'catalog', 'chats', 'sessions'];
const people = JSON.stringify({
  by: secret,
  rows: Array.from({ length: 3_000 }, (_, id) => ({ id, name: `n${id}`, ssn_hidden: secret })),
});
const tools = toolCatalogue([
  rowsTool,
  { ...rowsTool, name: 'prices', reuse: { maxAgeSeconds: 600 } },
  { ...rowsTool, name: 'people', view: { ops: ['id', 'name'] } },
  readResultTool,
  listResultsTool,
]);

const tableServer = new TableServer();
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-facts-'));
const recorded = join(folder, 'requests.ndjson');
const { session, owner } = newRun();
let services: EmulatedServices;
let proxy: FaultProxy;
let model: ModelServer;
let client: BedrockRuntimeClient;
let world: FlowWorld;
/** Tool executions, by name, since they were last cleared. */
const executed: string[] = [];
let down = false;
/** What a faulty assembly of requests would do to one. */
let assembly: (messages: readonly Message[]) => readonly Message[] = (messages) => messages;
let ports: ReturnType<typeof flowPorts>;
const facts: [string, string][] = [];

/** The flow's ports with a scripted model behind Converse, whose requests are recorded, and with the real read tool. */
function flowPorts() {
  const base = { ...world.ports, tools };
  const scripted = {
    ...base,
    functions: Object.fromEntries(tools.all().map(({ name }) => [name, name])),
    modelSettings: () => ({
      modelId: 'scripted.claimcheck-v1:0',
      windowTokens: 200_000,
      maxTokens: 1_000,
      cachePoints: false,
    }),
  };
  const guarded = guardedConverse(new BedrockModel(client), { ...scripted, origin: () => undefined });
  const read = builtinHandler(
    'read-result',
    z.looseObject({ runId: z.string(), turn: z.number(), index: z.number(), toolUseId: z.string() }),
    base,
    async (event, run) => {
      const { runId: _run, turn: _turn, index: _index, toolUseId: _use, ...input } = event;
      return readResult(run, input, base, null);
    },
  );
  return {
    ...scripted,
    converse: (request: ModelRequest, place: Parameters<typeof guarded>[1]) =>
      guarded({ ...request, messages: assembly(request.messages) }, place),
    invoker: {
      invoke: async (name: string, payload: unknown) => {
        executed.push(name);
        if (name === 'read_result') return read(payload);
        if (down) return { status: 'error', content: [{ text: 'the source is down' }] };
        return { status: 'success', content: [{ text: name === 'people' ? people : rowsText(count) }] };
      },
    },
  };
}

/** One run of the chat from its admission to its saved turn; answers the last request that the model was sent. */
async function play(...calls: readonly string[]): Promise<{ readonly request: string; readonly runId: string }> {
  const runId = newId();
  const arn = ports.flows.assistant;
  const event = {
    runId,
    flow: { execution: `${arn.replace('stateMachine', 'execution')}:${runId}`, stateMachine: arn },
  };
  const message = calls.map((call) => `call ${call}`).join('\nthen\n');
  await admitRun({ runId, session, owner, holder: { username: 'ada' }, agent: 'assistant', message }, ports);
  for (let turn = 0; ; ) {
    const answer = await callModel({ ...event, turn, agent: 'assistant' }, ports);
    if (answer.toolUses.length === 0) break;
    for (const { index } of answer.toolUses) await runTool({ ...event, turn: answer.turn, index }, ports);
    turn = answer.next;
  }
  await finishRun({ ...event, failure: undefined }, ports.settings, ports);
  return { request: readFileSync(recorded, 'utf8').trimEnd().split('\n').at(-1) ?? '', runId };
}

/** The catalogue's items of one tool, as they are stored, oldest first. */
async function items(tool: string) {
  const all = await itemsWithPrefix({ ...world.table, table: 'catalog' }, owner, `${session}/`);
  return all
    .filter((item) => item['tool'] === tool)
    .sort((a, b) => Number(a['version']) - Number(b['version']))
    .map((item) => ({
      ref: String(item['sk']),
      version: item['version'],
      supersedes: item['supersedes'] ?? null,
      status: item['status'],
    }));
}

/** The texts of the tool results in a recorded request. */
function resultTexts(request: string): string[] {
  const { messages } = (JSON.parse(request) as { request: { messages: Message[] } }).request;
  return messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      'toolResult' in block ? block.toolResult.content.flatMap((inner) => ('text' in inner ? [inner.text] : [])) : [],
    ),
  );
}

function fact(name: string, value: unknown): void {
  facts.push([name, typeof value === 'string' ? value : JSON.stringify(value)]);
}

beforeAll(async () => {
  services = await emulatedServices();
  proxy = new FaultProxy(services.url, await tableServer.listen());
  const url = await proxy.start();
  await makePlaces(url);
  world = flowWorld(url);
  model = await startModelServer({ record: recorded });
  client = new BedrockRuntimeClient({
    endpoint: model.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  ports = flowPorts();
}, 180_000);
beforeEach(() => {
  executed.length = 0;
});
afterAll(async () => {
  world?.stop();
  client?.destroy();
  await model?.stop();
  await proxy?.stop();
  tableServer.stop();
  await services?.stop();
  rmSync(folder, { recursive: true, force: true });
  const width = Math.max(...facts.map(([name]) => name.length));
  process.stdout.write(`${facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')}\n`);
});

test('a refresh is version 2 and names version 1; a failed one leaves version 1 and is kept; a body deleted gives Expired and no tool call', async () => {
  await play('rows with {"query":"all"}');
  await play('rows with {"query":"all","refresh":true}');
  down = true;
  const failed = await play('rows with {"query":"all","refresh":true}');
  down = false;
  expect(resultTexts(failed.request)).toEqual(['the source is down']);
  const stored = await items('rows');
  for (const item of stored) fact(`catalogue item, version ${item.version}`, item);
  const [first, second, third] = stored;
  expect(stored).toEqual([
    { ref: expect.any(String), version: 1, supersedes: null, status: 'stored' },
    { ref: expect.any(String), version: 2, supersedes: first?.ref, status: 'stored' },
    { ref: expect.any(String), version: 3, supersedes: second?.ref, status: 'refresh_failed' },
  ]);
  expect(third?.ref).not.toBe(second?.ref);

  executed.length = 0;
  const whole = await play(`read_result with {"ref":"${first?.ref}","offset":${count - 1}}`);
  const page = JSON.parse(resultTexts(whole.request)[0] ?? '');
  expect([page.version.ref, page.version.version, page.data[0].note]).toEqual([first?.ref, 1, 'the last']);
  fact('version 1 after the failure', page.version);

  await world.s3.send(
    new DeleteObjectCommand({ Bucket: bucket, Key: `results/${owner}/${session}/${first?.ref.slice(33)}/body` }),
  );
  executed.length = 0;
  const gone = await play(`read_result with {"ref":"${first?.ref}","offset":${count - 1}}`);
  const [text] = resultTexts(gone.request);
  fact('version 1, body deleted: sent to the model', text);
  fact('… executed', executed);
  expect(text).toMatch(/^Expired: /);
  expect(executed).toEqual(['read_result']);
});

test('reuse only where a tool is marked for it', async () => {
  for (const tool of ['prices', 'rows']) {
    for (let i = 0; i < 2; i++) await play(`${tool} with {"query":"reuse"}`);
  }
  fact('executed for two equal calls of each', executed);
  expect(executed).toEqual(['prices', 'rows', 'rows']);
  expect(await items('prices')).toHaveLength(1);
});

test('a riding selection makes no catalogue call and no read: it stands in the next request', async () => {
  const select = JSON.stringify({ fields: ['name'], offset: count - 2, limit: 10 });
  const { request } = await play(`rows with {"query":"riding","_select":${select}}`);
  const { data, coverage } = JSON.parse(resultTexts(request)[0] ?? '');
  fact('riding selection: sent to the model', { data, coverage });
  fact('… executed', executed);
  expect(data).toEqual([{ name: `row ${count - 1}` }, { name: `row ${count}` }]);
  expect(coverage).toMatchObject({ loaded: 2, total: count, selection_complete: true, input_complete: false });
  expect(executed).toEqual(['rows']);
});

test('a selection that request assembly drops reaches the model as a coverage fact', async () => {
  const [first] = await items('prices');
  const cut = (block: MessageBlock): MessageBlock =>
    'toolResult' in block ? { toolResult: { ...block.toolResult, content: [{ text: '[shortened]' }] } } : block;
  assembly = (messages) => messages.map((message) => ({ ...message, content: message.content.map(cut) }));
  const { request } = await play(`read_result with {"ref":"${first?.ref}","offset":10,"limit":5}`);
  assembly = (messages) => messages;
  const said = resultTexts(request).find((text) => text.includes('"coverage"')) ?? '{}';
  const { coverage } = JSON.parse(said);
  fact('dropped selection: sent to the model', coverage);
  expect(coverage).toMatchObject({ requested: 5, loaded: 0, total: count, offset: 10, selection_complete: false });
  expect(coverage.reasons).toContain('request_limit');
});

test('a planted secret field is found in no item, no object and no request', async () => {
  await play('people with {"query":"all","_select":{"offset":2998}}');
  const places = new Map<string, string>();
  for (const TableName of tables) {
    const pages: unknown[] = [];
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const page = await world.documents.send(new ScanCommand({ TableName, ExclusiveStartKey }));
      pages.push(page.Items);
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    places.set(`table ${TableName}`, JSON.stringify(pages));
  }
  const { Contents = [] } = await world.s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  const objects = await Promise.all(
    Contents.map(async ({ Key }) => {
      const { Body, Metadata } = await world.s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
      return `${Key} ${JSON.stringify(Metadata)} ${await Body?.transformToString('latin1')}`;
    }),
  );
  places.set('bucket', objects.join('\n'));
  places.set('model requests', readFileSync(recorded, 'utf8'));
  const found = [...places].map(([place, text]) => [
    place,
    text.split(secret).length - 1,
    text.split('ssn_hidden').length - 1,
  ]);
  fact('planted secret: place, value, name', found);
  expect(found.map(([, value, name]) => [value, name])).toEqual(found.map(() => [0, 0]));
  for (const place of ['table runs', 'table chats', 'bucket', 'model requests'])
    expect(places.get(place)).toContain('n2999');
});
