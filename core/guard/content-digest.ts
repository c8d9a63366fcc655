import { createHash } from 'node:crypto';
import type { ContentBlock } from '../content/block.ts';

/** First 32 hex of the SHA-256 over a tool result's blocks, in order. Long texts are hashed as they are, uncopied. */
export function contentDigest(content: readonly ContentBlock[]): string {
  const hash = createHash('sha256');
  for (const block of content) {
    if ('text' in block) hash.update(`text ${block.text.length} `).update(block.text, 'utf8');
    else hash.update('block ').update(stableText(block), 'utf8');
  }
  return hash.digest('hex').slice(0, 32);
}

/** JSON text in which bytes stand as base64; key order as it came, which is also how it is sent. */
export function stableText(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key: string, entry: unknown) {
    const original = this[key];
    return original instanceof Uint8Array ? `bytes ${Buffer.from(original).toString('base64')}` : entry;
  });
}
