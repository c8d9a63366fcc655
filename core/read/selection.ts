import { ClaimcheckError } from '../errors.ts';
import type { JsonValue } from '../json.ts';

/** What a read asks for, checked: the structured fields that a marker is rendered from and a repeat is made of. */
export interface Selection {
  /** `null`: whole records. */
  readonly fields: readonly string[] | null;
  readonly offset: number;
  /** `null`: as many as the caps allow. */
  readonly limit: number | null;
  readonly ids: readonly string[] | null;
  /** 1-based, both ends included. */
  readonly lines: { readonly first: number; readonly last: number } | null;
  /** Half-open. */
  readonly bytes: { readonly start: number; readonly end: number } | null;
  /** 1-based; which piece of the record at `offset`. */
  readonly part: number | null;
}

const known = ['fields', 'offset', 'limit', 'ids', 'lines', 'bytes', 'part'] as const;
const maxFields = 100;
const maxIds = 1000;

/**
 * Checks the arguments of a read; `ref` is not among them. Numbers are numbers: `"5"` is refused rather than guessed
 * at. Throws `InvalidInput` naming the argument, what was expected and what was found (case H027).
 */
export function parseSelection(input: Readonly<Record<string, unknown>>): Selection {
  for (const key of Object.keys(input)) {
    if (!(known as readonly string[]).includes(key) && input[key] !== undefined) {
      throw invalid(`${shown(key)}: not an argument of a read; expected one of ref, ${known.join(', ')}`);
    }
  }
  const selection: Selection = {
    fields: fieldList(input['fields']),
    offset: whole('offset', input['offset'], 0) ?? 0,
    limit: whole('limit', input['limit'], 1),
    ids: idList(input['ids']),
    lines: null,
    bytes: null,
    part: whole('part', input['part'], 1),
  };
  const lines = range('lines', input['lines'], 1);
  const bytes = range('bytes', input['bytes'], 0);
  const ways = [lines && 'lines', bytes && 'bytes', selection.ids && 'ids', selection.part && 'part'].filter(Boolean);
  if (ways.length > 1) throw invalid(`${ways.join(' and ')}: use one of them in one read`);
  if ((lines || bytes) && (given(input['offset']) || given(input['limit']) || selection.fields)) {
    throw invalid(`${ways[0]}: cannot be combined with offset, limit or fields`);
  }
  if (selection.part !== null && (selection.limit ?? 1) !== 1)
    throw invalid('part: one record at a time; limit must be 1');
  return {
    ...selection,
    lines: lines === null ? null : { first: lines[0], last: lines[1] },
    bytes: bytes === null ? null : { start: bytes[0], end: bytes[1] + 1 },
  };
}

/** The arguments that repeat this selection exactly. */
export function selectionArguments(selection: Selection): Readonly<Record<string, JsonValue>> {
  if (selection.lines !== null) return { lines: `${selection.lines.first}-${selection.lines.last}` };
  if (selection.bytes !== null) return { bytes: `${selection.bytes.start}-${selection.bytes.end - 1}` };
  return {
    ...(selection.fields === null ? {} : { fields: selection.fields }),
    ...(selection.ids === null ? {} : { ids: selection.ids }),
    offset: selection.offset,
    ...(selection.limit === null ? {} : { limit: selection.limit }),
    ...(selection.part === null ? {} : { part: selection.part }),
  };
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function whole(name: string, value: unknown, least: number): number | null {
  if (!given(value)) return null;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least) {
    throw invalid(`${name}: expected a whole number, at least ${least}, found ${shown(value)}`);
  }
  return value;
}

function fieldList(value: unknown): readonly string[] | null {
  if (!given(value)) return null;
  if (!Array.isArray(value) || value.length === 0 || value.length > maxFields || !value.every(isName)) {
    throw invalid(`fields: expected a list of 1 to ${maxFields} field names, found ${shown(value)}`);
  }
  return [...new Set(value as string[])];
}

function idList(value: unknown): readonly string[] | null {
  if (!given(value)) return null;
  const good = (id: unknown): boolean => typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
  if (!Array.isArray(value) || value.length === 0 || value.length > maxIds || !value.every(good)) {
    throw invalid(
      `ids: expected a list of 1 to ${maxIds} identifiers, strings or whole numbers up to 2^53, found ${shown(value)}`,
    );
  }
  return [...new Set(value.map(String))];
}

function range(name: string, value: unknown, least: number): readonly [number, number] | null {
  if (!given(value)) return null;
  const match = typeof value === 'string' ? /^(\d{1,15})-(\d{1,15})$/.exec(value) : null;
  const [first, last] = [Number(match?.[1] ?? Number.NaN), Number(match?.[2] ?? Number.NaN)];
  if (!(first >= least && last >= first)) {
    throw invalid(`${name}: expected "A-B" with ${least} <= A <= B, found ${shown(value)}`);
  }
  return [first, last];
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= 1000;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function invalid(message: string): ClaimcheckError {
  return new ClaimcheckError('InvalidInput', message);
}
