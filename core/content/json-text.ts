import type { JsonValue } from '../json.ts';

/** `JSON.stringify`, for values nested deeper than its recursion goes too. */
export function jsonText(value: JsonValue): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (error instanceof RangeError) return deepJsonText(value);
    throw error;
  }
}

/** The same text by a stack of its own. Throws `TypeError` for a circle, as the serialiser does. */
function deepJsonText(value: JsonValue): string {
  const parts: string[] = [];
  const open = new Set<unknown>();
  const stack: (string | { readonly value: JsonValue; readonly written?: true })[] = [{ value }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') {
      parts.push(next);
      continue;
    }
    const current = next.value;
    if (next.written) {
      open.delete(current);
      continue;
    }
    if (typeof current !== 'object' || current === null) {
      parts.push(JSON.stringify(current) ?? 'null');
      continue;
    }
    if (open.has(current)) throw new TypeError('Converting circular structure to JSON');
    open.add(current);
    const list = Array.isArray(current);
    const entries = Object.entries(current).filter(([, entry]) => list || entry !== undefined);
    parts.push(list ? '[' : '{');
    stack.push({ value: current, written: true }, list ? ']' : '}');
    for (let index = entries.length - 1; index >= 0; index -= 1) {
      const [key, entry] = entries[index] as [string, JsonValue];
      stack.push({ value: entry });
      stack.push(`${index > 0 ? ',' : ''}${list ? '' : `${JSON.stringify(key)}:`}`);
    }
  }
  return parts.join('');
}

/** The value of a text that is one JSON document, undefined when it is none. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Could the text be a JSON array or object, judged by its ends? Spares the parse of prose. */
export function looksStructured(text: string): boolean {
  const first = /\S/.exec(text.slice(0, 1024))?.[0];
  const last = text.slice(-1024).trimEnd().at(-1);
  return (first === '{' && last === '}') || (first === '[' && last === ']');
}
