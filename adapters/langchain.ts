import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { type AgentMiddleware, createMiddleware, type Runtime, tool } from 'langchain';
import { acceptBlock } from '../core/content/accept-block.ts';
import type { ContentBlock, Message as CoreMessage, MessageBlock } from '../core/content/block.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { Kept } from '../core/store/keeping.ts';
import { boundedFailure } from '../core/wrap/bounded-failure.ts';
import { ConversationGuard, type GuardLimits, joinedText, type MessageCodec } from '../core/wrap/conversation-guard.ts';
import type { References } from '../core/wrap/references.ts';
import type { ContextOf } from '../core/wrap/request-context.ts';
import { readerTools } from './reader-tools.ts';

export interface LangChainOptions extends GuardLimits {
  readonly references: References;
  /** Whose call it is: owner and run, from the runtime of the agent's invocation. Without an answer nothing is stored. */
  readonly context: ContextOf<Runtime>;
}

/**
 * Tool results by reference as LangChain middleware, for `createAgent` and deepagents alike: every tool's result passes,
 * failed calls too; the tools that read what is stored are offered beside the agent's own; every model call passes the
 * guard, which works on copies, so that the agent's state keeps its messages as they are.
 */
export function resultsByReference(options: LangChainOptions): AgentMiddleware {
  const { references, context } = options;
  const guard = new ConversationGuard(references, options);
  const readers = readerTools(references);
  const offered = readers.map(({ name, description, inputSchema }) =>
    // Answered below, where it is known whose call it is.
    tool(async () => 'NotFound: it is not known who asks', { name, description, schema: inputSchema as never }),
  );
  return createMiddleware({
    name: 'claimcheck',
    tools: offered,
    wrapToolCall: async (request, handler) => {
      const { name, args, id = '' } = request.toolCall;
      const known = await context(request.runtime as Runtime);
      const reader = readers.find((each) => each.name === name);
      if (known === undefined) {
        const made = await handler(request);
        if (reader !== undefined || !ToolMessage.isInstance(made)) return made;
        const kept = await references.unkept(name, produced(made));
        return kept === null ? made : keptMessage(made, kept);
      }
      const run = references.run(known);
      if (reader !== undefined) {
        const { text, status } = await reader.answer(run, args, { toolUseId: id });
        return new ToolMessage({ content: text, tool_call_id: id, name, status });
      }
      const call = { run, tool: name, toolUseId: id, input: args };
      const repeated = await references.repeated(call);
      if (repeated !== undefined) return keptMessage({ tool_call_id: id, name }, repeated);
      const made = await Promise.resolve(handler(request)).catch(async (error: unknown) => {
        throw await boundedFailure(references, call, error);
      });
      if (!ToolMessage.isInstance(made)) return made;
      const kept = await references.keep(call, produced(made));
      return kept === null ? made : keptMessage(made, kept);
    },
    wrapModelCall: async (request, handler) => {
      const known = await context(request.runtime as Runtime);
      if (known === undefined) return handler(request);
      const tools = request.tools.map((each) => {
        const { name, description, schema } = each as { name?: string; description?: string; schema?: unknown };
        return { name: name ?? '', description: description ?? '', inputSchema: plain(schema) as JsonObject };
      });
      const conversation = { messages: request.messages, system: request.systemMessage?.text ?? '', tools };
      return guard.call(references.run(known), conversation, codec, async (messages) =>
        handler(messages === request.messages ? request : { ...request, messages: [...messages] }),
      );
    },
  }) as AgentMiddleware;
}

function produced(message: ToolMessage) {
  const status = message.status === 'error' ? ('error' as const) : ('success' as const);
  return { kind: 'result' as const, result: { status, content: blocksOf(message.content) } };
}

function keptMessage(made: { readonly tool_call_id: string; readonly name?: string }, kept: Kept): ToolMessage {
  const { tool_call_id, name } = made;
  const content = joinedText(kept.content);
  return new ToolMessage({ content, tool_call_id, status: kept.status, ...(name === undefined ? {} : { name }) });
}

function blocksOf(content: BaseMessage['content']): readonly ContentBlock[] {
  return typeof content === 'string' ? [{ text: content }] : content.map(acceptBlock);
}

const codec: MessageCodec<BaseMessage> = {
  read: (message): CoreMessage | null => {
    if (message.type === 'system') return null;
    if (ToolMessage.isInstance(message)) {
      const { tool_call_id: toolUseId, status = 'success' } = message;
      return { role: 'user', content: [{ toolResult: { toolUseId, status, content: blocksOf(message.content) } }] };
    }
    if (!AIMessage.isInstance(message)) return { role: 'user', content: blocksOf(message.content) };
    const uses = (message.tool_calls ?? []).map(({ id = '', name, args }) => ({
      toolUse: { toolUseId: id, name, input: plain(args) },
    }));
    const parts = typeof message.content === 'string' ? blocksOf(message.content) : message.content.flatMap(aiBlock);
    return { role: 'assistant', content: [...parts, ...uses] };
  },
  write: (message, { results, bare }) => {
    const text = results.get(0);
    if (text !== undefined && ToolMessage.isInstance(message)) {
      const { tool_call_id, name, status, id } = message;
      const fields = {
        content: text,
        tool_call_id,
        ...(name && { name }),
        ...(status && { status }),
        ...(id && { id }),
      };
      return new ToolMessage(fields);
    }
    if (!bare || !AIMessage.isInstance(message) || typeof message.content === 'string') return message;
    const content = message.content.filter((part) => !isReasoning(part));
    return new AIMessage({ ...message, content } as unknown as ConstructorParameters<typeof AIMessage>[0]);
  },
};

/** Calls stand in `tool_calls` too, where every provider's are. */
function aiBlock(part: { readonly type?: unknown }): MessageBlock[] {
  if (part.type === 'tool_use' || part.type === 'tool_call') return [];
  return isReasoning(part) ? [{ reasoningContent: part }] : [acceptBlock(part)];
}

function isReasoning({ type }: { readonly type?: unknown }): boolean {
  return type === 'thinking' || type === 'redacted_thinking' || type === 'reasoning' || type === 'reasoning_content';
}

function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value) ?? '{}') as JsonValue;
}
