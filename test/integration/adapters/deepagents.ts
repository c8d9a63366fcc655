import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { createDeepAgent } from 'deepagents';
import { tool } from 'langchain';
import * as z from 'zod';
import { resultsByReference } from '../../../adapters/langchain.ts';
import { References } from '../../../core/wrap/references.ts';
import { FileCatalogue } from '../../../files/file-catalogue.ts';
import { FileResultStore } from '../../../files/file-result-store.ts';

/**
 * A deep agent, its own offloading beside ours: what a big result, a big read, a read of its own files and the answer of
 * a sub-agent become. Prints what was found, as JSON. A process of its own, since these packages are ES modules only.
 */
interface Call {
  readonly name: string;
  readonly args: object;
}
type Script = (request: string, number: number) => Call | string;

class Scripted extends BaseChatModel {
  readonly requests: string[] = [];
  readonly #script: Script;
  constructor(script: Script) {
    super({ maxRetries: 0 });
    this.#script = script;
  }
  _llmType(): string {
    return 'scripted';
  }
  override bindTools(): this {
    return this;
  }
  async _generate(messages: BaseMessage[]) {
    const request = JSON.stringify(messages.map(({ type, content }) => ({ type, content })));
    this.requests.push(request);
    const move = this.#script(request, this.requests.length - 1);
    const calls = typeof move === 'string' ? [] : [{ id: `use-${this.requests.length}`, ...move }];
    const content = typeof move === 'string' ? move : '';
    return { generations: [{ text: '', message: new AIMessage({ content, tool_calls: calls as never }) }] };
  }
}

const rows = (count: number) =>
  JSON.stringify({
    rows: Array.from({ length: count }, (_, id) => ({
      id,
      note: id === count - 1 ? 'the last one' : 'as all the others are, and there are many of them. '.repeat(5),
    })),
  });
const refIn = (request: string) => /ref\W{1,8}([0-9a-f]{32}\/[0-9a-f]{32})/.exec(request)?.[1] ?? '';

async function scenario(script: Script, count: number, ours: boolean, subagent?: Script) {
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-deep-'));
  const references = new References({ store: new FileResultStore(folder), catalogue: new FileCatalogue(folder) });
  const made = resultsByReference({
    references,
    context: () => ({ owner: 'ada', session: 'deep' }),
    windowTokens: 1_000_000,
    maxTokens: 1_000,
  });
  const middleware = ours ? [made] : [];
  const model = new Scripted(script);
  const helper = new Scripted(subagent ?? (() => 'done'));
  const agent = createDeepAgent({
    model,
    tools: [
      tool(() => rows(count), { name: 'rows', description: 'rows', schema: z.object({ page: z.number().optional() }) }),
    ],
    middleware,
    subagents: [{ name: 'clerk', description: 'looks things up', systemPrompt: 'look', model: helper, middleware }],
  } as Parameters<typeof createDeepAgent>[0]);
  try {
    const { messages, files } = (await agent.invoke(
      { messages: [new HumanMessage('go')] },
      { recursionLimit: 100 },
    )) as {
      readonly messages: readonly BaseMessage[];
      readonly files?: object;
    };
    const bodies = readdirSync(folder, { recursive: true }).filter((file) => String(file).endsWith('body')).length;
    const answers = messages
      .filter(({ type }) => type === 'tool')
      .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
    return {
      stored: bodies,
      evicted: Object.keys(files ?? {}).filter((name) => name.includes('large_tool_results')),
      sizes: answers.map((answer) => Buffer.byteLength(answer)),
      last: answers.at(-1) ?? '',
      helper: helper.requests.map((request) => Buffer.byteLength(request)),
      largest: Math.max(...model.requests.map((request) => Buffer.byteLength(request))),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const call = (name: string, args: object = {}): Call => ({ name, args });
const readAll: Script = (request, number) =>
  number === 0
    ? call('rows')
    : number === 1
      ? call('read_result', { ref: refIn(request), offset: 0, limit: 1_000_000 })
      : 'end';
const file = Array.from({ length: 900 }, (_, line) => `line ${line} of a file that the agent has written by itself`);
const ownFile: Script = (_, number) =>
  number === 0
    ? call('write_file', { file_path: '/notes.txt', content: file.join('\n') })
    : number === 1
      ? call('read_file', { file_path: '/notes.txt', limit: 2_000 })
      : 'end';
const delegate: Script = (_, number) =>
  number === 0 ? call('task', { description: 'find the last row', subagent_type: 'clerk' }) : 'end';
const clerk: Script = (request, number) =>
  number === 0
    ? call('rows')
    : number === 1
      ? call('read_result', { ref: refIn(request), offset: 4_999 })
      : `found: ${request.includes('the last one') ? 'the last one' : 'nothing'}`;

/** So many results that deepagents summarises the conversation; then the model asks what there is, and reads the first. */
const pages = 34;
let summaries = 0;
const many: Script = (request) => {
  if (request.includes('You are a conversation summarizer')) {
    summaries += 1;
    return 'Pages of rows were asked for.';
  }
  asked += 1;
  if (asked <= pages) return call('rows', { page: asked });
  if (asked === pages + 1) return call('list_results');
  if (asked === pages + 2) return call('read_result', { ref: refs(request).at(-1) ?? '', offset: 4_999 });
  return 'end';
};
let asked = 0;
const refs = (request: string) =>
  [...request.matchAll(/ref\W{1,8}([0-9a-f]{32}\/[0-9a-f]{32})/g)].map(([, ref]) => ref);

const facts = {
  /** Without the middleware it is deepagents that takes the result out. */
  alone: await scenario((_, number) => (number === 0 ? call('rows') : 'end'), 5_000, false),
  big: await scenario((_, number) => (number === 0 ? call('rows') : 'end'), 5_000, true),
  read: await scenario(readAll, 5_000, true),
  ownFile: await scenario(ownFile, 1, true),
  delegated: await scenario(delegate, 5_000, true, clerk),
  summarised: await scenario(many, 5_000, true),
  longAnswer: await scenario(delegate, 1, true, () => 'words '.repeat(50_000)),
};
process.stdout.write(JSON.stringify({ ...facts, summaries }), () => process.exit(0));
