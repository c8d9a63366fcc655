import type { $ZodIssue, $ZodType } from 'zod/v4/core';
import { wellFormed } from '../content/well-formed.ts';
import { ClaimcheckError } from '../errors.ts';
import { expectationOf, memberNames, schemaAt } from './expectation.ts';

/** A schema as `zod/mini` makes it: the one method that is called here. */
export interface Schema<Value> extends $ZodType<Value> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: Value }
    | { readonly success: false; readonly error: { readonly issues: readonly $ZodIssue[] } };
}

export type Input<Value> =
  | { readonly success: true; readonly data: Value }
  | { readonly success: false; readonly error: ClaimcheckError };

/**
 * Faults that are named, and characters of them all and of one name: a message must never carry a tool's data (case
 * H072), and what was written where a name belongs is no name any more when it is long.
 */
const namedFaults = 5;
const messageCharacters = 300;
const nameCharacters = 64;

/** How faults are told. */
export interface Telling {
  /** Stands before a field's name: `chart.` for `chart.width`. */
  readonly within?: string;
  /** Members that are not listed among the known ones: what the platform adds, and who hears of it cannot set. */
  readonly unlisted?: readonly string[];
}

/**
 * A value from outside, of the right shape, or `InvalidInput` that names each wrong field, what was expected and what
 * kind of thing was found: `idempotencyKey: text of 1 to 200 characters expected; it is required`. Never a value:
 * values may be content. `subject` stands for the whole: `event`, `body`, a variable's name.
 */
export function readInput<Value>(
  schema: Schema<Value>,
  value: unknown,
  subject: string,
  telling: Telling = {},
): Input<Value> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed;
  const told = new Map<string, string>();
  for (const issue of parsed.error.issues) {
    // One fault a field: a text where a list belongs is also a list that is too long.
    const at = `${issue.path.map(String).join('.')} ${issue.code === 'unrecognized_keys'}`;
    if (!told.has(at) && told.size < namedFaults) told.set(at, inWords(issue, schema, value, subject, telling));
  }
  const issues = [...told.values()];
  return {
    success: false,
    error: new ClaimcheckError('InvalidInput', wellFormed(issues.join('; ').slice(0, messageCharacters)), { issues }),
  };
}

function inWords(issue: $ZodIssue, schema: $ZodType, value: unknown, subject: string, telling: Telling): string {
  const { within = '', unlisted = [] } = telling;
  const name = issue.path.length === 0 ? subject : within + issue.path.map(shortName).join('.');
  const expecting = schemaAt(schema, issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = (expecting === undefined ? [] : memberNames(expecting)).filter(
      (key) => !unlisted.includes(key.replace(/\?$/, '')),
    );
    const hint = known.length === 0 ? '' : `; known are ${known.join(', ')}`;
    return `${name}: ${issue.keys.slice(0, namedFaults).map(shortName).join(', ')} not expected${hint}`;
  }
  if (issue.code === 'custom' || expecting === undefined) return `${name}: ${issue.message}`;
  return `${name}: ${expectationOf(expecting)} expected${found(issue, valueAt(value, issue.path))}`;
}

/** A name that came from outside, as far as it reads like one. */
function shortName(key: PropertyKey): string {
  const name = String(key).replace(/\p{C}/gu, '\uFFFD');
  return name.length <= nameCharacters ? name : wellFormed(`${name.slice(0, nameCharacters)}…`);
}

function found(issue: $ZodIssue, value: unknown): string {
  if (value === undefined) return '; it is required';
  if (issue.code === 'too_big' || issue.code === 'too_small') {
    if (typeof value === 'string') return `; found ${value.length} characters`;
    if (Array.isArray(value)) return `; found ${value.length} entries`;
    return '';
  }
  return issue.code === 'invalid_type' ? `; found ${kindOf(value)}` : '';
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'boolean':
      return 'true or false';
    case 'number':
      return Number.isInteger(value) ? 'a whole number' : 'a number with a fraction';
    default:
      return 'an object';
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}
