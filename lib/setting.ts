import { z } from 'zod';

/** What a setting means: its unit (or shape) and one sentence, both shown by `settingsTable`. */
interface Meaning {
  readonly unit: string;
  readonly says: string;
}

/**
 * Leaves of the settings' schema. CDK context given as `-c claimcheck.a.b=14` arrives as text, so every leaf that is not
 * text itself first reads the text; a context object in `cdk.json` passes as it is.
 */
export function whole(standard: number, range: { min: number; max?: number }, meaning: Meaning) {
  const bounded = z
    .int()
    .min(range.min)
    .max(range.max ?? Number.MAX_SAFE_INTEGER);
  return z.preprocess(numberFromText, bounded).default(standard).meta(meta(meaning));
}

/** A share between 0 and 1, both excluded. */
export function share(standard: number, meaning: Meaning) {
  return z.preprocess(numberFromText, z.number().gt(0).lt(1)).default(standard).meta(meta(meaning));
}

export function flag(standard: boolean, says: string) {
  return z
    .preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean())
    .default(standard)
    .meta(meta({ unit: 'true or false', says }));
}

export function text(standard: string, meaning: Meaning, pattern?: RegExp) {
  const schema = pattern === undefined ? z.string().min(1) : z.string().regex(pattern, `expected ${meaning.unit}`);
  return schema.default(standard).meta(meta(meaning));
}

export function optionalText(meaning: Meaning, pattern: RegExp = /./) {
  return z.string().regex(pattern, `expected ${meaning.unit}`).optional().meta(meta(meaning));
}

export function choice<const Values extends readonly [string, ...string[]]>(
  values: Values,
  standard: Values[number],
  says: string,
) {
  return z
    .enum(values)
    .default(standard as never)
    .meta(meta({ unit: values.join(' | '), says }));
}

/** A list or object; as text, it is JSON. */
export function structured<Schema extends z.ZodType>(schema: Schema, standard: z.output<Schema>, meaning: Meaning) {
  return z
    .preprocess(jsonFromText, schema)
    .default(standard as never)
    .meta(meta(meaning));
}

function numberFromText(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
}

function jsonFromText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function meta(meaning: Meaning): { unit: string; description: string } {
  return { unit: meaning.unit, description: meaning.says };
}

/** One row of the settings' documentation. */
export interface SettingRow {
  readonly path: string;
  readonly unit: string;
  readonly standard: string;
  readonly says: string;
}

/** Every setting under an object schema, in the order written: what `docs/settings.md` is made from. */
export function settingsTable(schema: z.ZodType, path = ''): readonly SettingRow[] {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([name, part]) =>
      settingsTable(part, path === '' ? name : `${path}.${name}`),
    );
  }
  const facts = (schema.meta() ?? {}) as { unit?: string; description?: string };
  const standard = schema.safeParse(undefined);
  return [
    {
      path,
      unit: facts.unit ?? '',
      standard: standard.success && standard.data !== undefined ? JSON.stringify(standard.data) : 'not set',
      says: facts.description ?? '',
    },
  ];
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodPrefault ? (schema.unwrap() as z.ZodType) : schema;
}
