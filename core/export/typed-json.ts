import { JsonText } from './json-text.ts';

/**
 * JSON text that keeps what JSON.stringify would refuse or change: big integers and `JsonText` with all their digits,
 * negative zero, NaN and the infinities by name (never a silent null), bytes as base64.
 */
export function typedJson(value: unknown, without?: string): string {
  return jsonOf(value, without) ?? 'null';
}

/** Undefined for what JSON leaves out. */
function jsonOf(value: unknown, without?: string): string | undefined {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
      return `"${value}"`;
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? 'null' : objectJson(value, without);
    default:
      return undefined;
  }
}

function objectJson(value: object, without?: string): string {
  if (value instanceof JsonText) return value.text;
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'));
  if ('toJSON' in value && typeof value.toJSON === 'function') return jsonOf(value.toJSON()) ?? 'null';
  if (Array.isArray(value)) {
    let json = '[';
    for (let at = 0; at < value.length; at += 1) json += (at === 0 ? '' : ',') + (jsonOf(value[at]) ?? 'null');
    return `${json}]`;
  }
  let json = '{';
  for (const key of Object.keys(value)) {
    if (key === without) continue;
    const member = jsonOf((value as Readonly<Record<string, unknown>>)[key]);
    if (member !== undefined) json += `${json.length === 1 ? '' : ','}${JSON.stringify(key)}:${member}`;
  }
  return `${json}}`;
}
