import { textWithBytes, valueWithBytes } from '../content/bytes-in-json.ts';

/** A content block, or an outcome with blocks in it, as JSON text. */
export function storedText(value: unknown): string {
  return textWithBytes(value);
}

export function storedValue(text: string): unknown {
  return valueWithBytes(text);
}

/**
 * `text` in pieces of at most `maxBytes` UTF-8 bytes, never splitting a character. JSON text made by `storedText` holds
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
