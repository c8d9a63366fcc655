import { createHash } from 'node:crypto';
import type { JsonValue } from '../json.ts';

/**
 * Recognises the same call: SHA-256 over tool name and arguments with sorted keys, hex. `refresh` asks for the same
 * call to be executed again, so it is no part of what makes two calls the same.
 */
export function callDigest(tool: string, input: JsonValue): string {
  const { refresh: _refresh, ...rest } = isObject(input) ? input : { value: input };
  return createHash('sha256')
    .update(JSON.stringify([tool, canonical(rest)]))
    .digest('hex');
}

export function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Arrays of `[key, value]` in key order: no key, `__proto__` included, is special in it. */
function canonical(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return [0, ...entries.map(([key, inner]): JsonValue => [key, canonical(inner)])];
}
