/**
 * The groups of a token's claim. A verified token holds a list; gateways and some providers flatten it to `[a b]`,
 * `a,b`, a JSON text or one word. A shape that is none of these gives no group at all: a misread list must never grant.
 */
export function groupsOf(claim: unknown): readonly string[] {
  if (Array.isArray(claim)) return distinct(claim.filter((entry): entry is string => typeof entry === 'string'));
  if (typeof claim !== 'string') return [];
  const text = claim.trim();
  if (text.startsWith('[') !== text.endsWith(']')) return [];
  if (!text.startsWith('[')) return distinct(text.split(','));
  return distinct(listed(text) ?? text.slice(1, -1).split(/[\s,]+/));
}

function listed(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined;
  } catch {
    return undefined; // Not JSON: the gateway's `[a b]`.
  }
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
}
