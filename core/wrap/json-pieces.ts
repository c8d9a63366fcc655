/** A value that seems wider than this is written piece by piece, so that no single call of the serialiser takes long. */
const largeBytes = 256 * 1024;
/** What one call of the serialiser should make, in characters. */
const pieceBytes = 64 * 1024;
/** Deeper values and further members are taken as they average: the size is only to tell small from large. */
const depthLooked = 8;
const membersLooked = 64;

/** Is this small enough for one call of the serialiser? An estimate from samples, in a few microseconds. */
export function isSmall(value: unknown): boolean {
  return approximateBytes(value, 0) <= largeBytes;
}

/**
 * The JSON text of a value in pieces: joined they are what `JSON.stringify` makes of it. Lists are written in slices
 * of about 64 KiB, so that a long one neither stands in memory as text nor holds up the process. Throws as
 * `JSON.stringify` does. A value that has no JSON text is `null`.
 */
export function jsonPieces(value: unknown): Generator<string> {
  return pieces(value, []);
}

function* pieces(value: unknown, above: readonly unknown[]): Generator<string> {
  if (!divisible(value)) {
    yield JSON.stringify(value) ?? 'null';
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
    const count = Math.max(1, Math.min(4_096, Math.floor(pieceBytes / approximateBytes(first, 0))));
    let to = Math.min(list.length, from + count);
    // A wide one among narrow ones starts a slice of its own.
    for (let at = from + 1; at < to; at += 1) if (wide(list[at])) to = at;
    yield comma + JSON.stringify(list.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield ']';
}

function* objectPieces(object: Readonly<Record<string, unknown>>, above: readonly unknown[]): Generator<string> {
  yield '{';
  let first = true;
  for (const key of Object.keys(object)) {
    const inner = object[key];
    const comma = first ? '' : ',';
    if (divisible(inner)) {
      yield `${comma}${JSON.stringify(key)}:`;
      yield* pieces(inner, above);
    } else {
      const member = JSON.stringify({ [key]: inner });
      if (member === '{}') continue;
      yield comma + member.slice(1, -1);
    }
    first = false;
  }
  yield '}';
}

function divisible(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (typeof (value as { readonly toJSON?: unknown }).toJSON === 'function') return false;
  return approximateBytes(value, 0) > largeBytes;
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
    seen += 1;
    if (seen > membersLooked) continue;
    bytes += key.length + 4 + approximateBytes((value as Readonly<Record<string, unknown>>)[key], depth + 1);
  }
  return seen > membersLooked ? (bytes * seen) / membersLooked : bytes;
}
