import { jsonText } from '../content/json-text.ts';
import { quoted } from '../content/quoted.ts';
import type { JsonValue } from '../json.ts';

/** A value that seems wider than this is written piece by piece, so that no single call of the serialiser takes long. */
const largeBytes = 256 * 1024;
/** What one call of the serialiser should make, in characters. */
const pieceBytes = 64 * 1024;
/** Deeper values and further members are taken as they average: the size is only to tell small from large. */
const depthLooked = 8;
const membersLooked = 64;
/** Elements of a slice that are looked at before it is written: the first may be nothing like the others. */
const elementsLooked = 8;

/** Is this small enough for one call of the serialiser? An estimate from samples, in a few microseconds. */
export function isSmall(value: unknown): boolean {
  return approximateBytes(value, 0) <= largeBytes;
}

/**
 * The JSON text of a value in pieces: joined they are what `JSON.stringify` makes of it. Lists are written in slices
 * of about 64 KiB, so that a long one neither stands in memory as text nor holds up the process. Throws as
 * `JSON.stringify` does. A value that has no JSON text is `null`.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  // To count the members of a wide object takes as long as to begin with them.
  if (isPlainObject(value) || divisible(value)) yield* pieces(value, []);
  else yield jsonText(value as JsonValue);
}

/** Pieces of what is divisible. */
function* pieces(value: unknown, above: readonly unknown[]): Generator<string> {
  if (typeof value === 'string') {
    yield* quoted(value);
    return;
  }
  if (above.includes(value)) throw new TypeError('Converting circular structure to JSON');
  if (Array.isArray(value)) yield* listPieces(value, [...above, value]);
  else yield* objectPieces(value as Readonly<Record<string, unknown>>, [...above, value]);
}

function* listPieces(list: readonly unknown[], above: readonly unknown[]): Generator<string> {
  yield '[';
  for (let from = 0; from < list.length; ) {
    const first = list[from];
    const comma = from === 0 ? '' : ',';
    if (divisible(first)) {
      yield comma;
      yield* pieces(first, above);
      from += 1;
      continue;
    }
    let to = Math.min(list.length, from + sliceCount(first));
    const step = Math.max(1, Math.floor((to - from) / elementsLooked));
    for (let at = from + step; at < to; at += step) to = Math.min(to, from + sliceCount(list[at]));
    // A wide one among narrow ones starts a slice of its own.
    for (let at = from + 1; at < to; at += 1) if (wide(list[at])) to = at;
    yield comma + jsonText(list.slice(from, to) as JsonValue).slice(1, -1);
    from = to;
  }
  yield ']';
}

/** How many elements like this one make a slice. */
function sliceCount(element: unknown): number {
  return Math.max(1, Math.min(4_096, Math.floor(pieceBytes / approximateBytes(element, 0))));
}

function* objectPieces(object: Readonly<Record<string, unknown>>, above: readonly unknown[]): Generator<string> {
  let held = '{';
  let first = true;
  for (const key of Object.keys(object)) {
    const inner = object[key];
    const comma = first ? '' : ',';
    if (divisible(inner)) {
      yield `${held}${comma}${JSON.stringify(key)}:`;
      held = '';
      yield* pieces(inner, above);
    } else {
      const member = jsonText({ [key]: inner as JsonValue });
      if (member === '{}') continue;
      held += comma + member.slice(1, -1);
    }
    first = false;
    if (held.length < pieceBytes) continue;
    yield held;
    held = '';
  }
  yield `${held}}`;
}

function divisible(value: unknown): boolean {
  if (typeof value === 'string') return value.length > largeBytes;
  return (Array.isArray(value) ? !saysItself(value) : isPlainObject(value)) && approximateBytes(value, 0) > largeBytes;
}

/** What the serialiser writes member by member. */
function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !saysItself(value);
}

/** It has a word of its own about its JSON, or is a value in a box. */
function saysItself(value: object): boolean {
  if (typeof (value as { readonly toJSON?: unknown }).toJSON === 'function') return true;
  return value instanceof String || value instanceof Number || value instanceof Boolean || value instanceof BigInt;
}

/** A quick look, for elements of a list: long strings and long lists stand out without a walk. */
function wide(value: unknown): boolean {
  if (typeof value === 'string') return value.length > pieceBytes;
  if (Array.isArray(value)) return value.length > 1_024;
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof inner === 'string' ? inner.length > pieceBytes : Array.isArray(inner) && inner.length > 1_024)
      return true;
  }
  return false;
}

function approximateBytes(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  if (depth > depthLooked) return 16;
  if (Array.isArray(value)) {
    const { length } = value;
    if (length === 0) return 2;
    const looked = [...new Set([0, length >> 1, length - 1])];
    const widest = Math.max(...looked.map((at) => approximateBytes(value[at], depth + 1)));
    return 2 + length * (widest + 1);
  }
  let bytes = 2;
  let seen = 0;
  for (const key in value) {
    if (seen === membersLooked) return (bytes * Object.keys(value).length) / membersLooked;
    seen += 1;
    bytes += key.length + 4 + approximateBytes((value as Readonly<Record<string, unknown>>)[key], depth + 1);
  }
  return bytes;
}
