import type { JsonValue } from '../json.ts';
import type { SavedBlock, SavedMessage, SavedThread } from './chat.ts';

const kinds = ['text', 'json', 'image', 'document', 'video', 'toolUse', 'toolResult', 'reasoningContent', 'cachePoint'];

/**
 * A stored thread as it may be sent again: one blank or ill-formed block would make the service refuse the chat for
 * ever (DESIGN 5.1). Blank texts and blocks that are none go; lone surrogates become U+FFFD; a JSON block that is no
 * object becomes text. What is well-formed comes back as the very same object, so that the bytes stay the same.
 */
export function mendedThread(thread: SavedThread): SavedThread {
  const messages = asList(thread.messages).flatMap((message): SavedMessage[] => {
    if (!isObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) return [];
    const saved = message as unknown as SavedMessage;
    const content = asList(saved.content).flatMap((block) => mendedBlock(block));
    // An empty message is refused, and leaving it out would break the alternation of roles.
    if (content.length === 0) content.push({ text: '(this message was empty)' });
    return [unchanged(saved.content, content) ? saved : { role: saved.role, content }];
  });
  return unchanged(thread.messages, messages) ? thread : { agent: thread.agent, messages };
}

function mendedBlock(block: unknown): SavedMessage['content'][number][] {
  if (!isObject(block) || !kinds.some((kind) => kind in block)) return [];
  if ('text' in block) {
    const text = mendedText(block['text']);
    if (text === undefined) return [];
    return [text === block['text'] ? (block as { text: string }) : { text }];
  }
  if ('json' in block) return [mendedJson(block as { json: JsonValue })];
  if (!('toolResult' in block)) return [block as unknown as SavedMessage['content'][number]];
  const result = block as unknown as Extract<SavedMessage['content'][number], { toolResult: unknown }>;
  const inner = asList(result.toolResult?.content).flatMap((part): SavedBlock[] =>
    isObject(part) && 'marker' in part ? [part as unknown as SavedBlock] : (mendedBlock(part) as SavedBlock[]),
  );
  if (inner.length === 0) inner.push({ text: '(empty result)' });
  if (unchanged(result.toolResult?.content, inner)) return [result];
  return [{ ...result, toolResult: { ...result.toolResult, content: inner } } as SavedMessage['content'][number]];
}

function mendedText(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return /\p{Surrogate}/u.test(text) ? text.replace(/\p{Surrogate}/gu, '\uFFFD') : text;
}

function mendedJson(block: { readonly json: JsonValue }): { readonly json: JsonValue } | { readonly text: string } {
  if (isObject(block.json)) {
    const text = JSON.stringify(block.json);
    // JSON.stringify writes a lone surrogate as an escape, which only such a string can produce unescaped.
    if (!/(?<!\\)(?:\\\\)*\\ud[89a-f]/i.test(text)) return block;
    return {
      json: JSON.parse(text, (_key, value) =>
        typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\uFFFD') : value,
      ),
    };
  }
  return { text: JSON.stringify(block.json ?? null) };
}

function unchanged(before: unknown, after: readonly unknown[]): boolean {
  return Array.isArray(before) && before.length === after.length && before.every((entry, at) => entry === after[at]);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
