import { JsonBlock, Message, TextBlock, ToolResultBlock } from '@strands-agents/sdk';
import { acceptBlock } from '../core/content/accept-block.ts';
import type { ContentBlock, Message as CoreMessage, MessageBlock } from '../core/content/block.ts';
import type { JsonValue } from '../core/json.ts';
import type { Kept } from '../core/store/keeping.ts';
import type { MessageCodec } from '../core/wrap/conversation-guard.ts';
import type { Produced } from '../core/wrap/tool-source.ts';
import { isMedia as isCoreMedia } from './media-part.ts';

/** A tool's result as the core has it. */
export function produced(result: ToolResultBlock): Produced {
  const content = result.content.map(resultBlock);
  return { kind: 'result', result: { status: result.status, content } };
}

/** What stands in the conversation for a result that was kept; its images and files are the ones that the tool made. */
export function keptResult(
  toolUseId: string,
  { status, content }: Kept,
  made: ToolResultBlock['content'] = [],
): ToolResultBlock {
  const media = made.filter(isMedia).values();
  const blocks = content.flatMap((block): ToolResultBlock['content'] => {
    if ('text' in block) return [new TextBlock(block.text)];
    if ('json' in block) return [new JsonBlock({ json: block.json as never })];
    const next = media.next();
    return next.done === true ? [] : [next.value];
  });
  return new ToolResultBlock({ toolUseId, status, content: blocks });
}

const elsewhere = new Uint8Array(0);

/** A file may be anywhere, at an address of S3 or of the web: it stays in its message, and costs what one costs. */
function resultBlock(block: ToolResultBlock['content'][number]): ContentBlock {
  const accepted = acceptBlock(block.toJSON());
  if (!isMedia(block) || isCoreMedia(accepted)) return accepted;
  const { type, format } = block as { readonly type: string; readonly format: string };
  if (type === 'imageBlock') return { image: { format, source: { bytes: elsewhere } } };
  return { document: { format, name: type, source: { bytes: elsewhere } } };
}

function isMedia({ type }: ToolResultBlock['content'][number]): boolean {
  return type !== 'textBlock' && type !== 'jsonBlock';
}

/** Reads Strands' messages for the guard, and writes replacements into copies. */
export const codec: MessageCodec<Message> = {
  read: ({ role, content }): CoreMessage => ({ role, content: content.map(coreBlock) }),
  write: (message, { results, bare }) => {
    let number = -1;
    const content = message.content.flatMap((block): Message['content'] => {
      if (bare && block.type === 'reasoningBlock') return [];
      if (block.type !== 'toolResultBlock') return [block];
      number += 1;
      const text = results.get(number);
      if (text === undefined) return [block];
      const media = block.content.filter(isMedia);
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
    return { toolResult: { toolUseId, status, content: content.map(resultBlock) } };
  }
  if (block.type === 'reasoningBlock') return { reasoningContent: block.toJSON() };
  return acceptBlock(block.toJSON());
}
