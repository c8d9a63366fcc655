import type { JsonValue } from '../json.ts';
import { FieldPicker } from '../read/field-picker.ts';
import { csvFields } from '../scan/csv-rows.ts';
import { walkRecords } from '../scan/record-walker.ts';
import type { ScanSummary } from '../scan/scan-summary.ts';
import type { ToolDefinition } from '../tool/tool-definition.ts';
import { type IdentityReconciliation, reconcileIdentity } from './identity.ts';

export interface DeclaredIdentity {
  readonly reconciled: IdentityReconciliation;
  /** Ids that the tool was asked for; null when it declares no `expectedFrom`. */
  readonly requested: number | null;
}

type Scanned = Pick<ScanSummary, 'kind' | 'path' | 'table' | 'chunks' | 'records' | 'bytes'>;

/**
 * Compares the ids in a tool's result with those it was asked for, by the identity that its catalogue entry declares
 * (DESIGN 5.4). One more pass over the body, only for such tools. Null when none is declared, or when the result
 * holds no records with that field. A record without the field has no identity and counts as none of the ids.
 */
export async function declaredIdentity(
  declared: ToolDefinition['identity'],
  input: unknown,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  scanned: Scanned,
): Promise<DeclaredIdentity | null> {
  if (declared === undefined || scanned.kind === 'text') return null;
  const expected = declared.expectedFrom === undefined ? null : expectedIds(input, declared.expectedFrom);
  const idOf = idReader(declared.field, scanned);
  const found: string[] = [];
  for await (const record of walkRecords(body, scanned)) {
    if (!(record instanceof Uint8Array)) continue;
    const id = idOf(record);
    if (id !== undefined) found.push(id);
  }
  if (found.length === 0 && expected === null) return null;
  return {
    reconciled: reconcileIdentity(expected, found),
    requested: expected === null ? null : new Set(expected).size,
  };
}

/** The ids in an argument: a list of scalars, one scalar, or a text with commas between them. Null when it is absent. */
function expectedIds(input: unknown, argument: string): readonly string[] | null {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, argument)) return null;
  const value = (input as { readonly [key: string]: JsonValue })[argument];
  if (Array.isArray(value)) return value.map(String);
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'string') return null;
  const ids = value.split(',').map((id) => id.trim());
  return ids.filter((id) => id !== '');
}

/** A record's id as text: a string's own text, a number's own digits. */
function idReader(field: string, scanned: Scanned): (record: Uint8Array) => string | undefined {
  const { table } = scanned;
  if (table !== null) {
    const at = table.header.indexOf(field);
    return (record) => (at < 0 ? undefined : csvFields(record, table.delimiter)[at]);
  }
  const picker = new FieldPicker([field], Number.MAX_SAFE_INTEGER);
  const head = Buffer.byteLength(`{${JSON.stringify(field)}:`, 'utf8');
  return (record) => {
    picker.begin();
    picker.write(record, 0, record.length);
    const picked = picker.end();
    if (picked.length <= head) return undefined;
    const raw = picked.toString('utf8', head, picked.length - 1);
    return raw.startsWith('"') ? (JSON.parse(raw) as string) : raw;
  };
}
