import * as z from 'zod';
import type { ModelSettings } from '../core/model/model.ts';
import { defaultSettings, type Settings } from '../core/settings.ts';

/** `CLAIMCHECK_IDENTITY`: who vouches for people, and where their roles are looked up (DESIGN 7.1, 7.4). */
const identitySchema = z.strictObject({
  kind: z.enum(['cognito', 'oidc']),
  issuer: z.string().min(1),
  clientId: z.string().min(1),
  /** What bearer tokens must be made for; the client when absent. */
  audience: z.string().min(1).optional(),
  /** Secret of a confidential client; absent for a public one. */
  clientSecretArn: z.string().optional(),
  /** Asked for at sign-in, blanks between. */
  scopes: z.string().optional(),
  jwksUri: z.string().min(1),
  authorizeUrl: z.string().min(1),
  tokenUrl: z.string().min(1),
  logoutUrl: z.string().optional(),
  userPoolId: z.string().optional(),
  roles: z.enum(['cognito', 'table', 'token']),
  rolesClaim: z.string().optional(),
  rolesTable: z.string().optional(),
  caseSensitive: z.boolean().optional(),
  /** The local platform: keys come over plain http. */
  local: z.boolean().optional(),
});
export type IdentityEnvironment = z.infer<typeof identitySchema>;

const modelSchema = z.strictObject({
  modelId: z.string().min(1),
  windowTokens: z.number().int().positive(),
  maxTokens: z.number().int().positive(),
  cachePoints: z.boolean(),
  stream: z.boolean().optional(),
});

const json = <T>(schema: z.ZodType<T>): z.ZodType<T, string> =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'is not JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema as z.ZodType<T, unknown>) as unknown as z.ZodType<T, string>;

const names = z.record(z.string(), z.string().min(1));

/** What functions are told, by the names of docs/contracts.md. */
const variables = {
  bucket: ['CLAIMCHECK_BUCKET', z.string().min(1)],
  runs: ['CLAIMCHECK_RUNS', z.string().min(1)],
  catalog: ['CLAIMCHECK_CATALOG', z.string().min(1)],
  chats: ['CLAIMCHECK_CHATS', z.string().min(1)],
  sessions: ['CLAIMCHECK_SESSIONS', z.string().min(1)],
  baseUrl: ['CLAIMCHECK_BASE_URL', z.url().transform((url) => url.replace(/\/+$/, ''))],
  tools: ['CLAIMCHECK_TOOLS', json(names)],
  flows: ['CLAIMCHECK_FLOWS', json(names)],
  identity: ['CLAIMCHECK_IDENTITY', json(identitySchema)],
  secret: ['CLAIMCHECK_SECRET', z.string().min(1)],
  models: ['CLAIMCHECK_MODELS', json(z.record(z.string(), modelSchema))],
  engine: ['CLAIMCHECK_ENGINE', json(z.strictObject({ engine: z.string().min(1) }))],
  python: ['CLAIMCHECK_PYTHON', z.string().min(1).optional()],
} as const;

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
    const [variable, schema] = variables[key];
    const result = schema.safeParse(source[variable]);
    if (!result.success) {
      throw new Error(`${variable}: ${result.error.issues.map((issue) => issue.message).join('; ')}`);
    }
    parsed[key] = result.data;
  }
  return parsed as unknown as CommonEnvironment & Pick<Environment, K>;
}

/** The defaults with the operator's numbers over them; unknown groups, unknown keys and non-numbers are refused. */
export function mergedSettings(text: string | undefined): Settings {
  if (text === undefined || text.trim() === '') return defaultSettings;
  const differing = z.record(z.string(), z.record(z.string(), z.number().nonnegative())).parse(JSON.parse(text));
  const merged: Record<string, Record<string, number>> = {};
  for (const [group, values] of Object.entries(defaultSettings)) merged[group] = { ...values };
  for (const [group, values] of Object.entries(differing)) {
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
