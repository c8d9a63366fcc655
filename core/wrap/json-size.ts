/** Nesting beyond this is left to the serialiser: it may be a circle. */
const depthLooked = 64;
/** Strings up to here are looked through character by character; longer ones by the engine's own search. */
const shortString = 96;
const notPlain = /[^ !#-[\]-~]/;

/** Only the serialiser knows. */
const unknown = -1;

/**
 * UTF-8 bytes of `JSON.stringify(value)`, without making that text: in a fraction of the time, and never further than
 * just past `maxBytes`, where any larger number is answered. -1 when only the serialiser itself knows: the value, or one
 * inside it, is no plain data (an instance of a class, something with `toJSON`, a bigint), or it is nested very deeply.
 */
export function jsonSize(value: unknown, maxBytes: number): number {
  switch (typeof value) {
    case 'undefined':
    case 'function':
    case 'symbol':
      return unknown;
    default:
      return memberBytes(value, maxBytes, -1);
  }
}

function containerBytes(value: object, maxBytes: number, depth: number): number {
  if (depth > depthLooked) return unknown;
  if ((value as { readonly toJSON?: unknown }).toJSON !== undefined) return unknown;
  if (Array.isArray(value)) return listBytes(value, maxBytes, depth);
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype !== Object.prototype && prototype !== null) return unknown;
  return objectBytes(value as Readonly<Record<string, unknown>>, maxBytes, depth);
}

function listBytes(list: readonly unknown[], maxBytes: number, depth: number): number {
  // The brackets, and a comma before every element but the first.
  let bytes = list.length === 0 ? 2 : 1 + list.length;
  for (let at = 0; at < list.length && bytes <= maxBytes; at += 1) {
    const element = list[at];
    const own = memberBytes(element, maxBytes - bytes, depth);
    if (own < 0) return unknown;
    // What has no JSON text is `null` in a list.
    bytes += own === 0 ? 4 : own;
  }
  return bytes;
}

function objectBytes(object: Readonly<Record<string, unknown>>, maxBytes: number, depth: number): number {
  let bytes = 1;
  for (const key of Object.keys(object)) {
    const own = memberBytes(object[key], maxBytes - bytes, depth);
    if (own < 0) return unknown;
    // What has no JSON text is left out of an object, its key with it. Else: the key, a colon, a comma or the brace.
    if (own > 0) bytes += (key.length > maxBytes ? key.length : stringBytes(key)) + 2 + own;
    if (bytes > maxBytes) return bytes;
  }
  return bytes === 1 ? 2 : bytes;
}

/** 0 for what has no JSON text. */
function memberBytes(value: unknown, maxBytes: number, depth: number): number {
  switch (typeof value) {
    case 'string':
      // Too long whatever its characters are: they are not looked at.
      return value.length > maxBytes ? value.length + 2 : stringBytes(value);
    case 'number':
      return numberBytes(value);
    case 'object':
      return value === null ? 4 : containerBytes(value, maxBytes, depth + 1);
    case 'boolean':
      return value ? 4 : 5;
    case 'bigint':
      return unknown;
    default:
      return 0;
  }
}

function numberBytes(value: number): number {
  if (!Number.isInteger(value) || value >= 1e15 || value <= -1e15) {
    return Number.isFinite(value) ? String(value).length : 4;
  }
  let left = Math.abs(value);
  let digits = value < 0 ? 2 : 1;
  for (; left >= 10; left = Math.floor(left / 10)) digits += 1;
  return digits;
}

/** With its quotes. */
function stringBytes(text: string): number {
  const { length } = text;
  if (length <= shortString) {
    for (let at = 0; at < length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return escapedBytes(text);
    }
    return length + 2;
  }
  return notPlain.test(text) ? escapedBytes(text) : length + 2;
}

function escapedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text), 'utf8');
}
