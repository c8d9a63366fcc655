import { ClaimcheckError } from '../errors.ts';
import type { ResultIndex } from '../store/result-index.ts';
import { columnNames } from './record-text.ts';

/** Names shown in an error: enough to pick from, bounded because a table may have thousands. */
const namesShown = 60;

type Shape = Pick<ResultIndex, 'fields' | 'profile' | 'kind' | 'table'>;

/**
 * Fields of which the commit record says that they are not there. Throws `UnknownField` listing the known ones. What
 * the commit record cannot say (a column beyond the profile's cap, an element of a list) is left to the records.
 */
export function refuseUnknownFields(fields: readonly string[], shape: Shape): void {
  if (shape.kind === 'text') {
    throw new ClaimcheckError('UnknownField', 'fields: this result is text; it has lines, not fields', { known: [] });
  }
  const unknown = fields.filter((field) => standing(field, shape) === 'unknown');
  if (unknown.length > 0) throw unknownFields(unknown, shape);
}

/** The same after the records were read: a field that the commit record did not know and that no record had. */
export function refuseUnseenFields(fields: readonly string[], seen: readonly boolean[], shape: Shape): void {
  const unseen = fields.filter((field, position) => !seen[position] && standing(field, shape) === 'unsure');
  if (unseen.length > 0) throw unknownFields(unseen, shape);
}

function standing(field: string, shape: Shape): 'known' | 'unsure' | 'unknown' {
  if (shape.table !== null) return columnNames(shape.table.header).includes(field) ? 'known' : 'unknown';
  const columns = shape.profile?.columns ?? [];
  if (shape.fields.includes(field)) return 'known';
  if (columns.some((column) => column.path === field || column.path.startsWith(`${field}.`))) return 'known';
  // Inside a list, or inside an object that the profile did not take apart.
  const inside = columns.some(
    (column) =>
      field.startsWith(`${column.path}.`) && (column.types.array !== undefined || column.types.object !== undefined),
  );
  if (inside) return 'known';
  const profile = shape.profile;
  const complete = profile !== null && profile.columns_left_out === 0 && profile.skipped_records === 0;
  return complete ? 'unknown' : 'unsure';
}

function unknownFields(unknown: readonly string[], shape: Shape): ClaimcheckError {
  const header = shape.table === null ? null : columnNames(shape.table.header);
  const names = header ?? [
    ...new Set([...shape.fields, ...(shape.profile?.columns.map((column) => column.path) ?? [])]),
  ];
  const known = names.slice(0, namesShown);
  const more = names.length > known.length ? ` and ${names.length - known.length} more` : '';
  const quoted = unknown.map((field) => JSON.stringify(field)).join(', ');
  return new ClaimcheckError('UnknownField', `fields: no ${quoted} in this result; known: ${known.join(', ')}${more}`, {
    unknown: [...unknown],
    known,
  });
}
