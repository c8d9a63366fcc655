/** Marks a byte string inside a stored JSON text; a key that begins with NUL is none that tools or models use. */
const bytesKey = '\u0000bytes';

/** A content block, or an outcome with blocks in it, as JSON text. Bytes become base64 under a key of their own. */
export function storedText(value: unknown): string {
  return JSON.stringify(value, function replace(this: unknown, key: string, inner: unknown): unknown {
    // Buffer has a toJSON of its own, which runs first: look at the holder's value, not at its result.
    const held = (this as Record<string, unknown>)[key];
    return held instanceof Uint8Array ? { [bytesKey]: Buffer.from(held).toString('base64') } : inner;
  });
}

export function storedValue(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value === 'object' && value !== null && bytesKey in value) {
      return new Uint8Array(Buffer.from(String((value as Record<string, unknown>)[bytesKey]), 'base64'));
    }
    return value;
  });
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
