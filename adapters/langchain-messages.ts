import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { acceptBlock } from '../core/content/accept-block.ts';
import type { ContentBlock, Message as CoreMessage, MessageBlock } from '../core/content/block.ts';
import type { JsonValue } from '../core/json.ts';
import type { Kept } from '../core/store/keeping.ts';
import { joinedText, type MessageCodec } from '../core/wrap/conversation-guard.ts';
import type { Produced } from '../core/wrap/tool-source.ts';
import { isMedia, messagePart } from './media-part.ts';

/** A tool's message as the core has results. */
export function produced(message: ToolMessage): Produced {
  const status = message.status === 'error' ? ('error' as const) : ('success' as const);
  return { kind: 'result' as const, result: { status, content: blocksOf(message.content) } };
}

/**
 * What stands in the conversation for a result that was kept; its images and files are the ones that the tool made, and
 * what the message has for the application alone stays with it.
 */
export function keptMessage(
  made: ToolMessage | { readonly tool_call_id: string; readonly name?: string },
  kept: Kept,
): ToolMessage {
  const text = joinedText(kept.content);
  if (ToolMessage.isInstance(made)) {
    const media = kept.content.some(isMedia) ? made.content : '';
    return rewritten(made, besideMedia(text, media), kept.status);
  }
  const { tool_call_id, name } = made;
  return new ToolMessage({ content: text, tool_call_id, status: kept.status, ...(name === undefined ? {} : { name }) });
}

function rewritten(made: ToolMessage, content: ToolMessage['content'], status: ToolMessage['status']): ToolMessage {
  const { tool_call_id, name, id, artifact, additional_kwargs, response_metadata } = made;
  return new ToolMessage({
    content,
    tool_call_id,
    additional_kwargs,
    response_metadata,
    ...(status && { status }),
    ...(name && { name }),
    ...(id && { id }),
    ...(artifact !== undefined && { artifact }),
  });
}

/** A text in the place of all words of `content`; what is no text or data stays. */
function besideMedia(text: string, content: ToolMessage['content']): ToolMessage['content'] {
  const media = typeof content === 'string' ? [] : content.filter((part) => isMedia(messagePart(part)));
  return media.length === 0 ? text : ([{ type: 'text', text }, ...media] as ToolMessage['content']);
}

/** Words of a message, whatever it is made of. */
export function textOf({ content }: BaseMessage): string {
  return joinedText(blocksOf(content));
}

/**
 * The same with every tool message replaced by what `bound` makes of it. Tools also answer with commands: changes of the
 * agent's state, in which messages stand (deepagents' `task` does).
 */
export async function boundedAnswer<T>(made: T, bound: (message: ToolMessage) => Promise<ToolMessage>): Promise<T> {
  if (ToolMessage.isInstance(made)) return (await bound(made)) as T;
  const messages = isCommand(made) ? made.update?.messages : undefined;
  if (!Array.isArray(messages)) return made;
  const all = await Promise.all(messages.map((each) => (ToolMessage.isInstance(each) ? bound(each) : each)));
  if (all.every((each, at) => each === messages[at])) return made;
  const update = { ...(made as CommandLike).update, messages: all };
  return Object.assign(Object.create(Object.getPrototypeOf(made)), made, { update });
}

interface CommandLike {
  readonly lg_name: 'Command';
  readonly update?: { readonly messages?: unknown };
}

/** LangGraph's own test, without a dependency on it. */
function isCommand(made: unknown): made is CommandLike {
  return typeof made === 'object' && made !== null && (made as { lg_name?: unknown }).lg_name === 'Command';
}

function blocksOf(content: BaseMessage['content']): readonly ContentBlock[] {
  return typeof content === 'string' ? [{ text: content }] : content.map(messagePart);
}

/** Reads LangChain's messages for the guard, and writes replacements into copies. */
export const codec: MessageCodec<BaseMessage> = {
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
      return rewritten(message, besideMedia(text, message.content), message.status);
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

/** A value as JSON has it. */
export function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value) ?? '{}') as JsonValue;
}
