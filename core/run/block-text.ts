import type { MessageBlock } from '../content/block.ts';

/** Marks a byte string inside the JSON text of a block; no JSON of a tool or model can hold this key and mean it. */
const bytesKey = '\u0000bytes';

/** One content block as JSON text. Bytes (images, documents) become base64 under a key of their own. */
export function blockText(block: MessageBlock): string {
  return JSON.stringify(block, function replace(this: unknown, key: string, value: unknown): unknown {
    // Buffer has a toJSON of its own, which runs first: look at the holder's value, not at its result.
    const held = (this as Record<string, unknown>)[key];
    return held instanceof Uint8Array ? { [bytesKey]: Buffer.from(held).toString('base64') } : value;
  });
}

export function blockOf(text: string): MessageBlock {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value === 'object' && value !== null && bytesKey in value) {
      return new Uint8Array(Buffer.from(String((value as Record<string, unknown>)[bytesKey]), 'base64'));
    }
    return value;
  }) as MessageBlock;
}

/**
 * `text` in pieces of at most `maxBytes` UTF-8 bytes, never splitting a character. JSON text made by `blockText` holds
 * no lone surrogate: `JSON.stringify` escapes them.
 */
export function textPieces(text: string, maxBytes: number): string[] {
  const pieces: string[] = [];
  const bytes = Buffer.from(text, 'utf8');
  let start = 0;
  while (start < bytes.length) {
    let end = Math.min(start + maxBytes, bytes.length);
    while (end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return pieces.length === 0 ? [''] : pieces;
}
