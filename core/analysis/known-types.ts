import type { ResultIndex } from '../store/result-index.ts';

/** What every value of a column is that is not null; `signed`: whole numbers, some below zero and others not. */
export type KnownType = 'integer' | 'signed' | 'number' | 'boolean' | 'string';

const plainName = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
const plainTypes = new Set(['integer', 'number', 'boolean', 'string']);

/**
 * The columns of flat records with their types, where the profile saw every record and every column and found one type
 * in each: whoever loads the records need not read them all first to learn their types. Null where anything is in doubt.
 */
export function knownTypes(
  index: Pick<ResultIndex, 'kind' | 'table' | 'records' | 'profile' | 'parseLoss'>,
): Readonly<Record<string, KnownType>> | null {
  const { profile } = index;
  if (profile === null || index.table !== null || index.kind === 'text' || index.parseLoss !== null) return null;
  if (profile.records !== index.records || profile.skipped_records > 0 || profile.columns_left_out > 0) return null;
  const known: Record<string, KnownType> = {};
  const lower = new Set<string>();
  for (const { path, types, min, max } of profile.columns) {
    // Whole numbers among fractions are numbers like them.
    const found = Object.keys(types).filter((each) => !(each === 'integer' && types.number !== undefined));
    const type = found[0];
    if (found.length !== 1 || type === undefined || !plainTypes.has(type) || !plainName.test(path)) return null;
    // Beyond 2^53 an integer may be beyond 64 bits too.
    if (type === 'integer' && !(Number.isSafeInteger(min) && Number.isSafeInteger(max))) return null;
    const signed = type === 'integer' && Number(min) < 0 && Number(max) >= 0;
    known[path] = signed ? 'signed' : (type as KnownType);
    lower.add(path.toLowerCase());
  }
  return lower.size === profile.columns.length && lower.size > 0 ? known : null;
}
