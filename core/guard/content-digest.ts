import { createHash } from 'node:crypto';
import type { ContentBlock } from '../content/block.ts';
import { sendable } from '../content/sendable.ts';

/**
 * First 32 hex of the SHA-256 over what a replacement takes out of a tool result: its text and JSON, in order, as they
 * are sent. So a result as the tool gave it and the same one as it stood in a request (mended, documents renamed) have
 * one digest, and are found by each other. Long texts are hashed as they are, uncopied.
 */
export function contentDigest(content: readonly ContentBlock[]): string {
  const hash = createHash('sha256');
  for (const block of sendable(content)) {
    if ('text' in block) hash.update(`text ${block.text.length} `).update(block.text, 'utf8');
    else if ('json' in block) hash.update('block ').update(stableText(block), 'utf8');
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
