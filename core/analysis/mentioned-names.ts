type Node = Readonly<Record<string, unknown>>;

/**
 * All names in a query, in lower case, where it can see no column that it does not name; null where it may see every
 * column: a star, a whole row, a column by its number, a join by equal names, new names for columns, SUMMARIZE. A name
 * too many only costs the loading of a column. `serialized` is what `checkQuery` has let through.
 */
export function mentionedNames(serialized: unknown, tables: readonly string[]): ReadonlySet<string> | null {
  const names = new Set<string>();
  const rows = new Set(tables.map((name) => name.toLowerCase()));
  const named: string[] = [];
  const open: unknown[] = [serialized];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') names.add(next.toLowerCase());
    else if (Array.isArray(next)) open.push(...next);
    else if (isNode(next)) {
      if (seesAll(next)) return null;
      const { class: kind, alias, key, column_names: parts, orders, ...rest } = next;
      // What stands in FROM or WITH can be named as a row.
      for (const name of [kind === undefined ? alias : undefined, key]) {
        if (typeof name === 'string' && name !== '') rows.add(name.toLowerCase());
      }
      // A table is named with and without what it stands in, `main.data`.
      if (Array.isArray(parts)) named.push(String(parts.at(-1)).toLowerCase());
      // By all columns of the answer, which are named where they are selected.
      const byAnswer = Array.isArray(orders) && orders.length === 1 && isBareStar(orders[0]);
      open.push(alias, key, parts, ...(byAnswer ? [] : [orders]), ...Object.values(rest));
    }
  }
  return named.some((name) => rows.has(name)) ? null : names;
}

function seesAll(node: Node): boolean {
  const { class: kind, type } = node;
  if (kind === 'STAR' || kind === 'POSITIONAL_REFERENCE') return true;
  if (kind === undefined && type === 'SHOW_REF') return true;
  if (node['ref_type'] === 'NATURAL') return true;
  return [node['column_name_alias'], node['aliases']].some((list) => Array.isArray(list) && list.length > 0);
}

/** `ORDER BY ALL`: a star of no table, that leaves nothing out. */
function isBareStar(order: unknown): boolean {
  const star = isNode(order) ? order['expression'] : undefined;
  if (!isNode(star) || star['class'] !== 'STAR') return false;
  const { class: _class, type: _type, columns: _columns, query_location: _location, ...rest } = star;
  return Object.values(rest).every(
    (value) => value === '' || value === null || value === false || (Array.isArray(value) && value.length === 0),
  );
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
