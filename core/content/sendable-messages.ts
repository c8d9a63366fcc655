import type { JsonValue } from '../json.ts';
import type { ContentBlock, Message, MessageBlock } from './block.ts';
import { DocumentNames } from './document-names.ts';
import { sendable } from './sendable.ts';

/**
 * A request's messages as the service accepts them: `sendable` for every content block, in tool results too, with
 * document names unique over the whole request. `reasoningContent` is passed on byte for byte.
 */
export function sendableMessages(
  messages: readonly Message[],
  names: DocumentNames = new DocumentNames(),
): readonly Message[] {
  return messages.map((message) => {
    const content = message.content.flatMap((block) => messageBlock(block, names));
    const same =
      content.length === message.content.length && content.every((block, at) => block === message.content[at]);
    return same ? message : { ...message, content };
  });
}

function messageBlock(block: MessageBlock, names: DocumentNames): MessageBlock[] {
  if ('reasoningContent' in block || 'cachePoint' in block) return [block];
  if ('toolUse' in block) {
    const input = mended(block.toolUse.input);
    return [input === block.toolUse.input ? block : { toolUse: { ...block.toolUse, input } }];
  }
  if ('toolResult' in block) {
    const content = sendable(block.toolResult.content, names);
    const before = block.toolResult.content;
    const same = content.length === before.length && content.every((each, at) => each === before[at]);
    return [same ? block : { toolResult: { ...block.toolResult, content } }];
  }
  // Outside tool results the service knows no json block, and a blank text is simply left away.
  if ('json' in block) return sendable([{ text: JSON.stringify(block.json) }], names);
  return 'text' in block && !/\S/u.test(block.text) ? [] : sendable([block as ContentBlock], names);
}

/** A tool's input without lone surrogates; the same object when there are none. */
function mended(input: JsonValue): JsonValue {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const [block] = sendable([{ json: input }]);
  return block !== undefined && 'json' in block ? block.json : input;
}
