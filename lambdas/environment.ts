import * as z from 'zod/mini';
import { readInput, type Schema } from '../core/input/read-input.ts';
import type { ModelSettings } from '../core/model/model.ts';
import { defaultSettings, type Settings } from '../core/settings.ts';

const filled = z.string().check(z.minLength(1));

/** `CLAIMCHECK_IDENTITY`: who vouches for people, and where their roles are looked up (DESIGN 7.1, 7.4). */
const identitySchema = () =>
  z.strictObject({
    kind: z.enum(['cognito', 'oidc']),
    issuer: filled,
    clientId: filled,
    /** What bearer tokens must be made for; the client when absent. */
    audience: z.optional(filled),
    /** Secret of a confidential client; absent for a public one. */
    clientSecretArn: z.optional(z.string()),
    /** Asked for at sign-in, blanks between. */
    scopes: z.optional(z.string()),
    jwksUri: filled,
    authorizeUrl: filled,
    tokenUrl: filled,
    logoutUrl: z.optional(z.string()),
    userPoolId: z.optional(z.string()),
    roles: z.enum(['cognito', 'table', 'token']),
    rolesClaim: z.optional(z.string()),
    rolesTable: z.optional(z.string()),
    caseSensitive: z.optional(z.boolean()),
    /** The local platform: keys come over plain http. */
    local: z.optional(z.boolean()),
  });
export type IdentityEnvironment = z.infer<ReturnType<typeof identitySchema>>;

const modelsSchema = () =>
  z.record(
    z.string(),
    z.strictObject({
      modelId: filled,
      windowTokens: z.int().check(z.minimum(1)),
      maxTokens: z.int().check(z.minimum(1)),
      cachePoints: z.boolean(),
      stream: z.optional(z.boolean()),
    }),
  );

/** Reads a variable; throws an error that names it and what was expected. */
type Reader = (name: string, value: string | undefined) => unknown;

/** What functions are told, by the names of docs/contracts.md. */
const variables: Readonly<Record<keyof Environment, readonly [name: string, read: Reader]>> = {
  bucket: ['CLAIMCHECK_BUCKET', text],
  runs: ['CLAIMCHECK_RUNS', text],
  catalog: ['CLAIMCHECK_CATALOG', text],
  chats: ['CLAIMCHECK_CHATS', text],
  sessions: ['CLAIMCHECK_SESSIONS', text],
  baseUrl: ['CLAIMCHECK_BASE_URL', address],
  tools: ['CLAIMCHECK_TOOLS', names],
  flows: ['CLAIMCHECK_FLOWS', names],
  identity: ['CLAIMCHECK_IDENTITY', shaped(identitySchema)],
  secret: ['CLAIMCHECK_SECRET', text],
  models: ['CLAIMCHECK_MODELS', shaped(modelsSchema)],
  engine: ['CLAIMCHECK_ENGINE', shaped(() => z.strictObject({ engine: filled }))],
  python: ['CLAIMCHECK_PYTHON', (name, value) => (value === undefined ? undefined : text(name, value))],
};

export interface Environment {
  readonly bucket: string;
  readonly runs: string;
  readonly catalog: string;
  readonly chats: string;
  readonly sessions: string;
  readonly baseUrl: string;
  /** Tool name → function name, the platform's own tools included. */
  readonly tools: Readonly<Record<string, string>>;
  /** Agent → state machine ARN. */
  readonly flows: Readonly<Record<string, string>>;
  readonly identity: IdentityEnvironment;
  /** ARN of the secret that seals sign-in state, session tokens and cursors. */
  readonly secret: string;
  /** Agent or `*` → model settings. */
  readonly models: Readonly<Record<string, ModelSettings>>;
  /** The function that runs untrusted programs. */
  readonly engine: { readonly engine: string };
  /** Identifier of the Code Interpreter that runs Python; absent where Python is not offered. */
  readonly python: string | undefined;
}

export interface CommonEnvironment {
  /** The prefix of physical names. */
  readonly name: string;
  readonly settings: Settings;
}

/**
 * Parses the variables that this function needs, once. Throws an error that names the variable, never its value:
 * a function that was deployed wrongly must not start.
 */
export function readEnvironment<K extends keyof Environment = never>(
  source: Readonly<Record<string, string | undefined>>,
  ...needed: readonly K[]
): CommonEnvironment & Pick<Environment, K> {
  const parsed: Record<string, unknown> = {
    name: source['CLAIMCHECK_NAME'] ?? 'claimcheck',
    settings: mergedSettings(source['CLAIMCHECK_SETTINGS']),
  };
  for (const key of needed) {
    const [name, read] = variables[key];
    parsed[key] = read(name, source[name]);
  }
  return parsed as unknown as CommonEnvironment & Pick<Environment, K>;
}

// Plain values are checked by hand: every schema that is made costs a part of a function's start.
function text(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new Error(`${name}: text expected; it is required`);
  return value;
}

function address(name: string, value: string | undefined): string {
  if (!URL.canParse(text(name, value))) throw new Error(`${name}: an address (URL) expected`);
  return text(name, value).replace(/\/+$/, '');
}

/** JSON of names, each with text. */
function names(name: string, value: string | undefined): Readonly<Record<string, string>> {
  const read = parsedJson(name, text(name, value));
  const entries = isObject(read) ? Object.values(read) : [undefined];
  if (!entries.every((each) => typeof each === 'string' && each !== '')) {
    throw new Error(`${name}: an object of names, each with text expected`);
  }
  return read as Readonly<Record<string, string>>;
}

function shaped<Value>(schema: () => Schema<Value>): Reader {
  return (name, value) => {
    const read = readInput(schema(), parsedJson(name, text(name, value)), name, { within: `${name}: ` });
    if (!read.success) throw new Error(read.error.message);
    return read.data;
  };
}

function parsedJson(name: string, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new Error(`${name}: expected JSON`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The defaults with the operator's numbers over them; unknown groups, unknown keys and non-numbers are refused. */
export function mergedSettings(text: string | undefined): Settings {
  if (text === undefined || text.trim() === '') return defaultSettings;
  const name = 'CLAIMCHECK_SETTINGS';
  const differing = parsedJson(name, text);
  if (!isObject(differing)) throw new Error(`${name}: an object of setting groups expected`);
  const merged: Record<string, Record<string, number>> = {};
  for (const [group, values] of Object.entries(defaultSettings)) merged[group] = { ...values };
  for (const [group, values] of Object.entries(differing)) {
    if (!isObject(values)) throw new Error(`${name}: ${group}: an object of settings expected`);
    const known = Object.hasOwn(merged, group) ? merged[group] : undefined;
    for (const [key, value] of Object.entries(values)) {
      if (known === undefined || !Object.hasOwn(known, key)) {
        throw new Error(`${name}: there is no setting ${group}.${key}`);
      }
      if (typeof value !== 'number' || !(value >= 0)) {
        throw new Error(`${name}: ${group}.${key}: a number of at least 0 expected`);
      }
      known[key] = value;
    }
  }
  return merged as unknown as Settings;
}

/** The model of an agent, or the one for every agent (`*`). */
export function modelSettingsOf(models: Environment['models'], agent: string): ModelSettings {
  const settings = (Object.hasOwn(models, agent) ? models[agent] : undefined) ?? models['*'];
  if (settings === undefined) throw new Error(`CLAIMCHECK_MODELS: expected settings for ${agent} or *`);
  return settings;
}
