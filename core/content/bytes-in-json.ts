/** Stands for bytes in a JSON text; a key of somebody else's that starts alike gets one more NUL. */
const bytesKey = '\u0000bytes';

/**
 * A value as JSON text that holds its bytes too (base64 under a key of their own) and brings every other key back as it
 * was: no key that a tool or a model writes is ever taken for the platform's.
 */
export function textWithBytes(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key: string, inner: unknown) {
    // `this[key]` is the value before Buffer's own toJSON turned it into a list of numbers.
    const held = this[key];
    if (held instanceof Uint8Array) return { [bytesKey]: Buffer.from(held).toString('base64') };
    return isPlain(inner) && Object.keys(inner).some((name) => name.startsWith('\u0000'))
      ? renamed(inner, addNul)
      : inner;
  });
}

/** The value of such a text. Throws a `SyntaxError` for what is no JSON. */
export function valueWithBytes(text: string): unknown {
  // Nearly every text holds neither bytes nor such a key, and a plain parse recurses into nothing.
  if (!text.includes('\\u0000')) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown) => {
    if (!isPlain(value)) return value;
    const names = Object.keys(value);
    if (!names.some((name) => name.startsWith('\u0000'))) return value;
    const encoded = value[bytesKey];
    if (names.length === 1 && typeof encoded === 'string') return new Uint8Array(Buffer.from(encoded, 'base64'));
    return renamed(value, dropNul);
  });
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

function renamed(value: Record<string, unknown>, rename: (name: string) => string): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value)) {
    // defineProperty: a key called __proto__ stays a key.
    Object.defineProperty(copy, rename(name), { value: entry, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

const addNul = (name: string) => (name.startsWith('\u0000') ? `\u0000${name}` : name);
const dropNul = (name: string) => (name.startsWith('\u0000\u0000') ? name.slice(1) : name);
