/** Ids listed per kind before a list is cut; the counts stay true. */
const listedIds = 50;
/** Characters kept of one listed id: an id is a name, not a place for content. */
const idCharacters = 120;

/** How the records that came compare with the ids that were wanted (DESIGN 5.4). */
export interface IdentityReconciliation {
  readonly missing_ids: readonly string[];
  readonly duplicate_ids: readonly string[];
  readonly unexpected_ids: readonly string[];
  readonly counts: { readonly missing: number; readonly duplicate: number; readonly unexpected: number };
  /** True when the two are not the same set, each id once: five records are not the right five. */
  readonly mismatch: boolean;
}

/**
 * Compares ids by their text, so that `7` and `"7"` are the same id. Without expected ids only duplicates can be
 * known. Each id is listed once, in the order it was expected or came; a repeated expected id counts once.
 */
export function reconcileIdentity(
  expected: Iterable<unknown> | null,
  found: Iterable<unknown>,
): IdentityReconciliation {
  const wanted = expected === null ? null : new Set(Array.from(expected, idText));
  const seen = new Set<string>();
  const duplicate = new Set<string>();
  const unexpected = new Set<string>();
  for (const value of found) {
    const id = idText(value);
    if (seen.has(id)) duplicate.add(id);
    seen.add(id);
    if (wanted !== null && !wanted.has(id)) unexpected.add(id);
  }
  const missing = wanted === null ? [] : [...wanted].filter((id) => !seen.has(id));
  const counts = { missing: missing.length, duplicate: duplicate.size, unexpected: unexpected.size };
  return {
    missing_ids: listed(missing),
    duplicate_ids: listed(duplicate),
    unexpected_ids: listed(unexpected),
    counts,
    mismatch: counts.missing + counts.duplicate + counts.unexpected > 0,
  };
}

/** The text by which ids are compared; an object or array as its JSON. */
function idText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function listed(ids: Iterable<string>): string[] {
  const list: string[] = [];
  for (const id of ids) {
    if (list.length === listedIds) break;
    list.push(id.length > idCharacters ? `${Array.from(id).slice(0, idCharacters).join('')}…` : id);
  }
  return list;
}
