import type { ContentBlock } from '../content/block.ts';
import { jsonText } from '../content/json-text.ts';

/** UTF-8 bytes that one block puts into a request; media have a cost of their own and count nothing here. */
export function blockBytes(block: ContentBlock): number {
  if ('text' in block) return Buffer.byteLength(block.text, 'utf8');
  if ('json' in block) return Buffer.byteLength(jsonText(block.json), 'utf8');
  return 0;
}

export function contentBytes(content: readonly ContentBlock[]): number {
  return content.reduce((sum, block) => sum + blockBytes(block), 0);
}

/** The longest prefix of at most `maxBytes` UTF-8 bytes that splits no character, in memory of its own. */
export function textPrefix(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.length > maxBytes ? text.slice(0, maxBytes) : text, 'utf8');
  if (bytes.length <= maxBytes) return bytes.toString('utf8');
  let end = Math.max(0, maxBytes);
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
