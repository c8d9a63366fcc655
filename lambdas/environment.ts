import * as z from 'zod/mini';
import { readInput, type Schema } from '../core/input/read-input.ts';
import type { ModelSettings } from '../core/model/model.ts';
import { defaultSettings, type Settings } from '../core/settings.ts';

const text = z.string().check(z.minLength(1));

/** `CLAIMCHECK_IDENTITY`: who vouches for people, and where their roles are looked up (DESIGN 7.1, 7.4). */
const identitySchema = () =>
  z.strictObject({
    kind: z.enum(['cognito', 'oidc']),
    issuer: text,
    clientId: text,
    /** What bearer tokens must be made for; the client when absent. */
    audience: z.optional(text),
    /** Secret of a confidential client; absent for a public one. */
    clientSecretArn: z.optional(z.string()),
    /** Asked for at sign-in, blanks between. */
    scopes: z.optional(z.string()),
    jwksUri: text,
    authorizeUrl: text,
    tokenUrl: text,
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

const modelSchema = () =>
  z.strictObject({
    modelId: text,
    windowTokens: z.int().check(z.minimum(1)),
    maxTokens: z.int().check(z.minimum(1)),
    cachePoints: z.boolean(),
    stream: z.optional(z.boolean()),
  });

const names = () => z.record(z.string(), text);

/** How a variable is read. Schemas are made for the variables that a function needs: each costs a part of its start. */
interface Variable {
  readonly name: string;
  readonly schema: () => Schema<unknown>;
  /** The text is JSON of that shape. */
  readonly json?: boolean;
}

/** What functions are told, by the names of docs/contracts.md. */
const variables: Readonly<Record<keyof Environment, Variable>> = {
  bucket: { name: 'CLAIMCHECK_BUCKET', schema: () => text },
  runs: { name: 'CLAIMCHECK_RUNS', schema: () => text },
  catalog: { name: 'CLAIMCHECK_CATALOG', schema: () => text },
  chats: { name: 'CLAIMCHECK_CHATS', schema: () => text },
  sessions: { name: 'CLAIMCHECK_SESSIONS', schema: () => text },
  baseUrl: {
    name: 'CLAIMCHECK_BASE_URL',
    schema: () =>
      z.pipe(
        z.url(),
        z.transform((url) => url.replace(/\/+$/, '')),
      ),
  },
  tools: { name: 'CLAIMCHECK_TOOLS', schema: names, json: true },
  flows: { name: 'CLAIMCHECK_FLOWS', schema: names, json: true },
  identity: { name: 'CLAIMCHECK_IDENTITY', schema: identitySchema, json: true },
  secret: { name: 'CLAIMCHECK_SECRET', schema: () => text },
  models: { name: 'CLAIMCHECK_MODELS', schema: () => z.record(z.string(), modelSchema()), json: true },
  engine: { name: 'CLAIMCHECK_ENGINE', schema: () => z.strictObject({ engine: text }), json: true },
  python: { name: 'CLAIMCHECK_PYTHON', schema: () => z.optional(text) },
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
  for (const key of needed) parsed[key] = readVariable(variables[key], source);
  return parsed as unknown as CommonEnvironment & Pick<Environment, K>;
}

function readVariable(variable: Variable, source: Readonly<Record<string, string | undefined>>): unknown {
  const { name, schema, json } = variable;
  const text = source[name];
  const value = json === true && text !== undefined ? parsedJson(name, text) : text;
  const read = readInput(schema(), value, name, { within: `${name}: ` });
  if (!read.success) throw new Error(read.error.message);
  return read.data;
}

function parsedJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name}: expected JSON`);
  }
}

/** The defaults with the operator's numbers over them; unknown groups, unknown keys and non-numbers are refused. */
export function mergedSettings(text: string | undefined): Settings {
  if (text === undefined || text.trim() === '') return defaultSettings;
  const settings = z.record(z.string(), z.record(z.string(), z.number().check(z.minimum(0))));
  const name = 'CLAIMCHECK_SETTINGS';
  const read = readInput(settings, parsedJson(name, text), name, { within: `${name}: ` });
  if (!read.success) throw new Error(read.error.message);
  const merged: Record<string, Record<string, number>> = {};
  for (const [group, values] of Object.entries(defaultSettings)) merged[group] = { ...values };
  for (const [group, values] of Object.entries(read.data)) {
    const known = Object.hasOwn(merged, group) ? merged[group] : undefined;
    for (const [key, value] of Object.entries(values)) {
      if (known === undefined || !Object.hasOwn(known, key)) {
        throw new Error(`CLAIMCHECK_SETTINGS: there is no setting ${group}.${key}`);
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
