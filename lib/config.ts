import type { Settings } from '../core/settings.ts';
import { configRules } from './config-rules.ts';
import { type Config, configSchema } from './config-schema.ts';

export { type Config, configSchema } from './config-schema.ts';

/** The limits that core code is given are a part of the configuration; the compiler holds us to it. */
export const coreSettings = (config: Config): Settings => config;

/** A setting that synthesis refuses; the message names each field. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the configuration from CDK context: the object `claimcheck`, then single fields `claimcheck.a.b`, which win.
 * Throws `ConfigError` naming every field that is unknown, of the wrong kind or breaks a rule of `config-rules.ts`.
 */
export function loadConfig(context: Readonly<Record<string, unknown>>): Config {
  const parsed = configSchema.safeParse(assembled(context));
  const problems = parsed.success
    ? configRules(parsed.data)
    : parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
  if (problems.length > 0 || !parsed.success) {
    throw new ConfigError(
      problems.map(({ path, message }) => `claimcheck${path && `.${path}`}: ${message}`).join('\n'),
    );
  }
  return parsed.data;
}

function assembled(context: Readonly<Record<string, unknown>>): unknown {
  const whole = context['claimcheck'];
  const root: unknown = typeof whole === 'string' ? parsedObject(whole) : structuredClone(whole ?? {});
  if (typeof root !== 'object' || root === null || Array.isArray(root)) return root;
  for (const [key, value] of Object.entries(context)) {
    if (!key.startsWith('claimcheck.')) continue;
    const names = key.slice('claimcheck.'.length).split('.');
    const last = names.pop() ?? '';
    let at = root as Record<string, unknown>;
    for (const name of names) {
      const next = Object.hasOwn(at, name) ? at[name] : undefined;
      const inner = typeof next === 'object' && next !== null ? (next as Record<string, unknown>) : {};
      Object.defineProperty(at, name, { value: inner, enumerable: true, configurable: true, writable: true });
      at = inner;
    }
    Object.defineProperty(at, last, { value, enumerable: true, configurable: true, writable: true });
  }
  return root;
}

function parsedObject(whole: string): unknown {
  try {
    return JSON.parse(whole) as unknown;
  } catch {
    return whole;
  }
}
