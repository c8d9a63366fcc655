import type { LanguageModelMiddleware } from 'ai';
import { acceptBlock } from '../core/content/accept-block.ts';
import type { ContentBlock, Message as CoreMessage, MessageBlock } from '../core/content/block.ts';
import type { JsonValue } from '../core/json.ts';
import type { MessageCodec } from '../core/wrap/conversation-guard.ts';
import { messagePart } from './media-part.ts';

type Params = Parameters<NonNullable<LanguageModelMiddleware['wrapGenerate']>>[0]['params'];
/** A message as the AI SDK hands it to a model. */
export type PromptMessage = Params['prompt'][number];
type Output = Extract<Extract<PromptMessage, { role: 'tool' }>['content'][number], { type: 'tool-result' }>['output'];

type ToolResultPart = { readonly type: string; readonly output: Output };

/** Reads the AI SDK's prompt for the guard, and writes replacements into copies. */
export const promptCodec: MessageCodec<PromptMessage> = {
  read: (message): CoreMessage | null => {
    if (message.role === 'system') return null;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    return { role, content: message.content.flatMap((part) => coreBlock(part)) };
  },
  write: (message, { results, bare }) => {
    let number = -1;
    const content = (message.content as readonly { readonly type: string }[]).flatMap((part) => {
      if (bare && part.type.startsWith('reasoning')) return [];
      if (part.type !== 'tool-result') return [part];
      number += 1;
      const value = results.get(number);
      return [value === undefined ? part : { ...part, output: besideFiles(value, (part as ToolResultPart).output) }];
    });
    return { ...message, content } as unknown as PromptMessage;
  },
};

function coreBlock(part: Exclude<PromptMessage['content'], string>[number]): MessageBlock[] {
  if (part.type === 'text') return [{ text: part.text }];
  if (part.type === 'reasoning' || part.type === 'reasoning-file') return [{ reasoningContent: part }];
  if (part.type === 'tool-call') {
    return [{ toolUse: { toolUseId: part.toolCallId, name: part.toolName, input: part.input as JsonValue } }];
  }
  if (part.type !== 'tool-result') return [{ text: JSON.stringify(part.type) }];
  const { output: made } = part;
  const status = made.type === 'error-text' || made.type === 'error-json' ? 'error' : 'success';
  return [{ toolResult: { toolUseId: part.toolCallId, status, content: resultBlocks(made) } }];
}

/** A text in the place of all words of a result; images and files beside them stay. */
function besideFiles(text: string, made: Output): Output {
  const files = made.type === 'content' ? made.value.filter(({ type }) => type !== 'text') : [];
  if (files.length === 0) return { type: 'text', value: text };
  return { type: 'content', value: [{ type: 'text', text }, ...files] };
}

function resultBlocks(made: Output): readonly ContentBlock[] {
  if (made.type === 'content') return made.value.map(contentBlock);
  if (made.type === 'execution-denied') return [{ text: made.reason ?? 'denied' }];
  return typeof made.value === 'string' ? [{ text: made.value }] : [{ json: made.value as JsonValue }];
}

/** A file of the AI SDK, wherever its bytes are. */
function contentBlock(part: Extract<Output, { type: 'content' }>['value'][number]): ContentBlock {
  if (part.type !== 'file') return acceptBlock(part);
  const { mediaType: mimeType, data, filename } = part;
  return messagePart({ type: 'file', mimeType, filename, data: data.type === 'data' ? data.data : '' });
}
