import type { $ZodType, $ZodTypes } from 'zod/v4/core';

/**
 * What a schema expects, in words: `text of 1 to 200 characters`, `a whole number from 0 to 9999`, `one of bar, line`.
 * A pattern speaks by the text given with it (`z.regex(pattern, 'words')`), else as itself.
 */
export function expectationOf(schema: $ZodType): string {
  const inner = innermost(schema);
  const def = inner._zod.def;
  switch (def.type) {
    case 'string':
      return textExpected(inner);
    case 'number': {
      const whole = checksOf(inner).some(({ check }) => check === 'number_format');
      return `a ${whole ? 'whole number' : 'number'}${range(inner, undefined)}`;
    }
    case 'boolean':
      return 'true or false';
    case 'enum':
      return `one of ${Object.values(def.entries).join(', ')}`;
    case 'literal':
      return def.values.map((value) => JSON.stringify(value)).join(' or ');
    case 'array':
      return `a list${range(inner, 'entry')}, each ${expectationOf(def.element)}`;
    case 'object':
      return `an object {${memberNames(inner).join(', ')}}`;
    case 'record':
      return `an object of names, each with ${expectationOf(def.valueType)}`;
    case 'union':
      return def.options.map(expectationOf).join(' or ');
    default:
      return 'a value';
  }
}

/** The schema at a path inside another one; undefined where there is none, or more than one could be meant. */
export function schemaAt(schema: $ZodType, path: readonly PropertyKey[]): $ZodType | undefined {
  let current: $ZodType | undefined = schema;
  for (const key of path) {
    if (current === undefined) return undefined;
    const def: $ZodTypes['_zod']['def'] = innermost(current)._zod.def;
    if (def.type === 'object') current = Object.hasOwn(def.shape, key) ? def.shape[key as string] : undefined;
    else if (def.type === 'array') current = def.element;
    else if (def.type === 'record') current = def.valueType;
    else return undefined;
  }
  return current;
}

/** An object's members in the order of the schema, what may be left out with a `?`. */
export function memberNames(schema: $ZodType): readonly string[] {
  const def = innermost(schema)._zod.def;
  if (def.type !== 'object') return [];
  return Object.entries(def.shape).map(([name, member]) => (member._zod.optin === undefined ? name : `${name}?`));
}

/** The members of a check's definition, and of a format schema's own, that say what is expected. */
interface CheckFacts {
  readonly check?: string;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly error?: (issue: unknown) => unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly length?: number;
  readonly value?: number | bigint | Date;
}

/** Behind `optional`, `nullable`, a default and a transformation: what has to be written. */
function innermost(schema: $ZodType): $ZodTypes {
  const known = schema as $ZodTypes;
  const def = known._zod.def;
  if ('innerType' in def) return innermost(def.innerType);
  return def.type === 'pipe' ? innermost(def.in) : known;
}

function checksOf(schema: $ZodTypes): readonly CheckFacts[] {
  const own = schema._zod.def as CheckFacts;
  const added = schema._zod.def.checks ?? [];
  return [...(own.check === undefined ? [] : [own]), ...added.map((check) => check._zod.def as unknown as CheckFacts)];
}

function textExpected(schema: $ZodTypes): string {
  const formats = checksOf(schema).filter(({ check }) => check === 'string_format');
  if (formats.length === 0) return `text${range(schema, 'character')}`;
  return formats.map(formatExpected).join(', ');
}

function formatExpected({ format, pattern, error }: CheckFacts): string {
  const said = error?.({});
  if (typeof said === 'string') return said;
  if (format === 'url') return 'an address (URL)';
  if (format === 'datetime') return 'a date and time (ISO 8601, with its zone)';
  return `text like ${pattern?.source ?? format}`;
}

function range(schema: $ZodTypes, counted: 'character' | 'entry' | undefined): string {
  let least: number | undefined;
  let most: number | undefined;
  for (const { check, minimum, maximum, length, value } of checksOf(schema)) {
    if (check === 'length_equals') least = most = length;
    if (check === 'min_length') least = minimum;
    if (check === 'max_length') most = maximum;
    if (check === 'greater_than') least = Number(value);
    if (check === 'less_than') most = Number(value);
  }
  const of = counted === undefined ? '' : ' of';
  const unit = (count: number) => {
    if (counted === undefined) return '';
    return count === 1 ? ` ${counted}` : ` ${counted === 'entry' ? 'entries' : 'characters'}`;
  };
  if (least !== undefined && least === most) return `${of} exactly ${least}${unit(least)}`;
  if (least !== undefined && most !== undefined) {
    return `${counted === undefined ? ' from' : of} ${least} to ${most}${unit(most)}`;
  }
  if (least !== undefined) return `${of} at least ${least}${unit(least)}`;
  return most === undefined ? '' : `${of} at most ${most}${unit(most)}`;
}
