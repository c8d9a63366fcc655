import {
  ExecuteToolStage,
  InvokeModelStage,
  JsonBlock,
  type LocalAgent,
  Message,
  type Plugin,
  TextBlock,
  type Tool,
  ToolResultBlock,
  tool,
} from '@strands-agents/sdk';
import { acceptBlock } from '../core/content/accept-block.ts';
import type { ContentBlock, Message as CoreMessage, MessageBlock } from '../core/content/block.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { Kept } from '../core/store/keeping.ts';
import { ConversationGuard, type GuardLimits, type MessageCodec } from '../core/wrap/conversation-guard.ts';
import type { References } from '../core/wrap/references.ts';
import type { ContextOf } from '../core/wrap/request-context.ts';
import type { Produced } from '../core/wrap/tool-source.ts';
import { readerTools } from './reader-tools.ts';

export interface StrandsOptions extends GuardLimits {
  readonly references: References;
  /** Whose agent it is: owner and run. Without an answer nothing is stored. */
  readonly context: ContextOf<LocalAgent>;
}

/**
 * Tool results by reference for a Strands agent: `new Agent({ plugins: [resultsByReference({…})] })`. Every tool's
 * result passes, failed calls too; the tools that read what is stored are offered beside the agent's own; every model
 * call passes the guard, which works on copies of the messages.
 */
export function resultsByReference(options: StrandsOptions): Plugin {
  const { references, context } = options;
  const guard = new ConversationGuard(references, options);
  const readers = readerTools(references);
  const own = new Set(readers.map(({ name }) => name));
  return {
    name: 'claimcheck',
    getTools: (): Tool[] =>
      readers.map((reader) =>
        tool({
          name: reader.name,
          description: reader.description,
          inputSchema: reader.inputSchema as never,
          callback: async (input: unknown, call) => {
            const known = call === undefined ? undefined : await context(call.agent);
            if (known === undefined || call === undefined) throw new Error('NotFound: it is not known who asks');
            const answer = await reader.answer(references.run(known), input, { toolUseId: call.toolUse.toolUseId });
            if (answer.status === 'error') throw new Error(answer.text);
            return answer.text;
          },
        }),
      ),
    initAgent: (agent) => {
      agent.addMiddleware(ExecuteToolStage, async function* ({ ...call }, next) {
        if (own.has(call.toolUse.name)) return yield* next(call);
        const known = await context(call.agent);
        const { toolUseId, name, input } = call.toolUse;
        if (known === undefined) {
          const { result } = yield* next(call);
          const kept = await references.unkept(name, produced(result));
          return { result: kept === null ? result : keptResult(toolUseId, kept) };
        }
        const wrapped = { run: references.run(known), tool: name, toolUseId, input };
        const repeated = await references.repeated(wrapped);
        if (repeated !== undefined) return { result: keptResult(toolUseId, repeated) };
        const { result } = yield* next(call);
        const kept = await references.keep(wrapped, produced(result));
        return { result: kept === null ? result : keptResult(toolUseId, kept) };
      });
      agent.addMiddleware(InvokeModelStage, async function* (call, next) {
        const known = await context(call.agent);
        if (known === undefined) return yield* next(call);
        const tools = call.toolSpecs.map((spec) => ({
          name: spec.name,
          description: spec.description,
          inputSchema: (spec.inputSchema ?? {}) as unknown as JsonObject,
        }));
        const system =
          typeof call.systemPrompt === 'string' ? call.systemPrompt : JSON.stringify(call.systemPrompt ?? '');
        const request = { messages: call.messages, system, tools };
        const attempts = guard.attempts(references.run(known), request, codec);
        for (let messages = await attempts.first(); ; ) {
          try {
            return yield* next({ ...call, messages });
          } catch (error) {
            messages = await attempts.afterOverflow(error);
          }
        }
      });
    },
  };
}

function produced(result: ToolResultBlock): Produced {
  const content = result.content.map((block) => acceptBlock(block.toJSON()));
  return { kind: 'result', result: { status: result.status, content } };
}

function keptResult(toolUseId: string, { status, content }: Kept): ToolResultBlock {
  return new ToolResultBlock({ toolUseId, status, content: content.flatMap(strandsBlock) });
}

function strandsBlock(block: ContentBlock): (TextBlock | JsonBlock)[] {
  if ('text' in block) return [new TextBlock(block.text)];
  return 'json' in block ? [new JsonBlock({ json: block.json as never })] : [];
}

const codec: MessageCodec<Message> = {
  read: ({ role, content }): CoreMessage => ({ role, content: content.map(coreBlock) }),
  write: (message, { results, bare }) => {
    let number = -1;
    const content = message.content.flatMap((block): Message['content'] => {
      if (bare && block.type === 'reasoningBlock') return [];
      if (block.type !== 'toolResultBlock') return [block];
      number += 1;
      const text = results.get(number);
      if (text === undefined) return [block];
      const media = block.content.filter(({ type }) => type !== 'textBlock' && type !== 'jsonBlock');
      return [
        new ToolResultBlock({
          toolUseId: block.toolUseId,
          status: block.status,
          content: [new TextBlock(text), ...media],
        }),
      ];
    });
    return new Message({ role: message.role, content });
  },
};

function coreBlock(block: Message['content'][number]): MessageBlock {
  if (block.type === 'textBlock') return { text: block.text };
  if (block.type === 'toolUseBlock') {
    const { toolUseId, name, input } = block;
    return { toolUse: { toolUseId, name, input: input as JsonValue } };
  }
  if (block.type === 'toolResultBlock') {
    const { toolUseId, status, content } = block;
    return { toolResult: { toolUseId, status, content: content.map((part) => acceptBlock(part.toJSON())) } };
  }
  if (block.type === 'reasoningBlock') return { reasoningContent: block.toJSON() };
  return acceptBlock(block.toJSON());
}
