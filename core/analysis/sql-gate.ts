import { ClaimcheckError } from '../errors.ts';
import { allowedClasses, allowedFunctions, allowedNodes, allowedTableFunctions, moreClasses } from './sql-names.ts';

type Node = Readonly<Record<string, unknown>>;
const identifier = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/**
 * Lets a query through, or says what in it is not offered. `serialized` is what DuckDB's own parser makes of the text
 * (`json_serialize_sql`), so nothing is parsed twice in two ways. Everything is allowed by name: statements, tables,
 * functions; what a later engine adds is refused until somebody allows it. Throws `AnalysisFailed` with a position.
 *
 * This is the front door, not the wall: behind it stand the locked engine and the limits of its process.
 */
export function checkQuery(serialized: unknown, tables: readonly string[]): void {
  if (!isObject(serialized)) throw refused('it could not be parsed');
  if (serialized['error'] !== false) throw parserError(serialized);
  const statements = serialized['statements'];
  if (!Array.isArray(statements) || statements.length !== 1) throw refused('give exactly one statement');
  const known = new Set([...tables, ...commonTables(statements)].map((name) => name.toLowerCase()));
  visit(statements, (node) => checkNode(node, known, tables));
}

/** Names that the query itself defines by WITH. */
function commonTables(statements: readonly unknown[]): readonly string[] {
  const found: string[] = [];
  visit(statements, (node) => {
    const map = isObject(node['cte_map']) ? node['cte_map']['map'] : undefined;
    for (const entry of Array.isArray(map) ? map : []) {
      const key = isObject(entry) ? entry['key'] : undefined;
      // A name like that of a file stays unknown, wherever it is defined.
      if (typeof key === 'string' && identifier.test(key)) found.push(key);
    }
  });
  return found;
}

function checkNode(node: Node, known: ReadonlySet<string>, tables: readonly string[]): void {
  const { class: kind, type } = node;
  if (typeof kind === 'string') {
    if (!allowedClasses.has(kind) && !moreClasses.has(kind))
      throw refused(`${kind.toLowerCase()} is not offered`, node);
    if (kind === 'FUNCTION' || kind === 'WINDOW') checkFunction(node, allowedFunctions, 'function');
    return;
  }
  if (typeof type !== 'string') return;
  if (type.endsWith('_TYPE_INFO') || /^(VALUE|JOIN_TYPE)_/.test(type)) return;
  if (!allowedNodes.has(type)) {
    throw refused(
      type === 'RECURSIVE_CTE_NODE' ? 'recursive queries are not offered' : `${type.toLowerCase()} is not offered`,
      node,
    );
  }
  if (type === 'BASE_TABLE') checkTable(node, known, tables);
  if (type === 'TABLE_FUNCTION') {
    const called = node['function'];
    if (!isObject(called)) throw refused('a table function without a name', node);
    checkFunction(called, allowedTableFunctions, 'table function');
  }
  if (
    type === 'SHOW_REF' &&
    (!isObject(node['query']) || !['SUMMARY', 'DESCRIBE'].includes(String(node['show_type'])))
  ) {
    throw refused(`SHOW is not offered; the tables are ${tables.join(', ')}`, node);
  }
}

function checkFunction(node: Node, allowed: ReadonlySet<string>, what: string): void {
  const name = String(node['function_name'] ?? '').toLowerCase();
  const place = [node['schema'], node['catalog']].map((value) => String(value ?? '').toLowerCase());
  const own = ['', 'main'].includes(place[0] ?? '') && ['', 'system'].includes(place[1] ?? '');
  if (!own || !allowed.has(name)) throw refused(`the ${what} ${name.slice(0, 60)} is not offered`, node);
}

function checkTable(node: Node, known: ReadonlySet<string>, tables: readonly string[]): void {
  const name = String(node['table_name'] ?? '');
  const plain = [node['schema_name'], node['catalog_name']].every((value) => value === '' || value === undefined);
  const timeless = node['at_clause'] === null || node['at_clause'] === undefined;
  if (plain && timeless && known.has(name.toLowerCase())) return;
  throw refused(`there is no table ${name.slice(0, 60)}; the tables are ${tables.join(', ')}`, node);
}

/** Every object of the tree; constants are values, not nodes. Without recursion: the text decides how deep it is. */
function visit(root: unknown, check: (node: Node) => void): void {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) for (const each of next) open.push(each);
    else if (isObject(next)) {
      check(next);
      const constant = next['class'] === 'CONSTANT';
      const table = next['type'] === 'TABLE_FUNCTION' ? (next['function'] as Node) : null;
      for (const [key, value] of Object.entries(next)) {
        if (constant && key === 'value') continue;
        // Its name was looked at as a table function's; what it is given is as in any other call.
        if (table !== null && value === table) open.push(table['children']);
        else open.push(value);
      }
    }
  }
}

function parserError(serialized: Node): ClaimcheckError {
  const kind = String(serialized['error_type'] ?? '');
  if (kind === 'not implemented') {
    return refused('only SELECT, WITH, FROM, VALUES, SUMMARIZE and DESCRIBE are offered');
  }
  const position = Number(serialized['position']);
  return refused(String(serialized['error_message'] ?? 'it could not be parsed').slice(0, 300), {
    query_location: Number.isInteger(position) ? position : undefined,
  });
}

function refused(reason: string, node?: Node): ClaimcheckError {
  const at = node?.['query_location'];
  // The parser's "nowhere" is the largest 64-bit number.
  const position = typeof at === 'number' && at < 1e9 ? ` (at character ${at + 1})` : '';
  return new ClaimcheckError('AnalysisFailed', `sql: ${reason}${position}`);
}

function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
