import type { ChatTurn } from './chat.ts';

/** Stands for bytes in the JSON text; a key of somebody else's that starts alike gets one more NUL. */
const bytesKey = '\u0000bytes';

/**
 * A turn as the text that is stored. JSON text rather than a DynamoDB map: it has no nesting limit of 32, keeps key
 * order, so that a resumed chat repeats the same bytes, and holds lone surrogates as escapes.
 */
export function encodeTurn(turn: ChatTurn): string {
  return JSON.stringify(turn, function (this: Record<string, unknown>, key: string, value: unknown) {
    // `this[key]` is the value before Buffer's own toJSON turned it into a list of numbers.
    const original = this[key];
    if (original instanceof Uint8Array) return { [bytesKey]: Buffer.from(original).toString('base64') };
    return isPlain(value) && Object.keys(value).some((name) => name.startsWith('\u0000'))
      ? renamed(value, addNul)
      : value;
  });
}

/** Throws a plain `Error` for text that is no turn: a fault of ours, never an expected failure. */
export function decodeTurn(text: string): ChatTurn {
  const turn: unknown = JSON.parse(text, (_key, value: unknown) => {
    if (!isPlain(value)) return value;
    const names = Object.keys(value);
    if (!names.some((name) => name.startsWith('\u0000'))) return value;
    const encoded = value[bytesKey];
    if (names.length === 1 && typeof encoded === 'string') return new Uint8Array(Buffer.from(encoded, 'base64'));
    return renamed(value, dropNul);
  });
  if (!isPlain(turn) || !Array.isArray(turn['threads'])) throw new Error('chat: the stored turn cannot be read');
  return turn as unknown as ChatTurn;
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
