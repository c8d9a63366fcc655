import { ClaimcheckError } from '../errors.ts';
import { headerNames } from '../scan/csv-header.ts';
import { CsvView } from './view-csv.ts';
import { JsonView } from './view-json.ts';

export { keptFields } from './kept-fields.ts';

/** A filter over pieces of one result: what `write` and `end` answer is all that may be stored, shown or logged. */
export interface ViewFilter {
  write(piece: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** Enough of the start to tell NDJSON from one JSON document, whatever the width of the first record. */
const sniffBytes = 1024 * 1024;

/**
 * Applies a view to a result while it streams past, before anything is stored, previewed, profiled or logged. Kept
 * values keep their own bytes. Fields are dotted paths relative to a record; in a JSON document around the list
 * (`{"total": 9, "rows": […]}`) only listed fields and the lists themselves are kept, so paging facts are listed too.
 * Throws `ToolFailed` for a result without fields (plain text): what cannot be filtered is not stored at all.
 */
export async function* applyView(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  kept: readonly string[] | null,
): AsyncGenerator<Uint8Array> {
  if (kept === null) {
    yield* body;
    return;
  }
  let head: Uint8Array | null = new Uint8Array(0);
  let filter: ViewFilter | null = null;
  for await (const piece of body) {
    if (filter === null) {
      head = Buffer.concat([head as Uint8Array, piece]);
      if (head.length < sniffBytes) continue;
      filter = viewFilter(head, kept);
      yield* some(filter.write(head));
      head = null;
    } else yield* some(filter.write(piece));
  }
  if (filter === null) {
    if ((head as Uint8Array).length === 0) return;
    filter = viewFilter(head as Uint8Array, kept);
    yield* some(filter.write(head as Uint8Array));
  }
  yield* some(filter.end());
}

/** The same for a result that is held whole. */
export function viewOf(body: Uint8Array, kept: readonly string[] | null): Uint8Array {
  if (kept === null || body.length === 0) return body;
  const filter = viewFilter(body, kept);
  return Buffer.concat([filter.write(body), filter.end()]);
}

function viewFilter(head: Uint8Array, kept: readonly string[]): ViewFilter {
  const first = head.find((byte, at) => !isSpace(byte) && !(at < 3 && byte >= 0xbb && byte <= 0xef));
  if (first === 0x7b || first === 0x5b) return new JsonView(kept, manyRoots(head));
  const delimiter = tableDelimiter(head, kept);
  if (delimiter === null) {
    throw new ClaimcheckError(
      'ToolFailed',
      'view: this tool keeps fields by role, and its result has no fields to keep',
    );
  }
  return new CsvView(kept, delimiter);
}

/** NDJSON: a first line that is a whole JSON value, and another one behind it. */
function manyRoots(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length);
  let from = 0;
  while (from < text.length) {
    const newline = text.indexOf(0x0a, from);
    if (newline < 0) return false;
    const line = text
      .toString('utf8', from, newline)
      .replace(/^\uFEFF/, '')
      .trim();
    from = newline + 1;
    if (line === '') continue;
    try {
      JSON.parse(line);
    } catch {
      return false;
    }
    return text.subarray(from).some((byte) => !isSpace(byte));
  }
  return false;
}

/** The delimiter of a text whose first row reads like the header of a table that has a kept field. */
function tableDelimiter(head: Uint8Array, kept: readonly string[]): ',' | '\t' | ';' | '|' | null {
  for (const delimiter of [',', '\t', ';', '|'] as const) {
    const names = headerNames(head, delimiter)?.map((name) => name.trim());
    if (names?.some((name) => kept.includes(name))) return delimiter;
  }
  return null;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function* some(bytes: Uint8Array): Generator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
