import { defaultSettings } from '../core/settings.ts';
import type { Config } from './config.ts';

/**
 * `CLAIMCHECK_SETTINGS`: the core limits that differ from their defaults, as JSON. Only what core reads; Lambda gives
 * all variables of a function 4 KB together.
 */
export function settingsVariable(config: Config): string {
  return JSON.stringify(difference(config, defaultSettings) ?? {});
}

function difference(value: unknown, standard: unknown): unknown {
  if (typeof standard !== 'object' || standard === null) return value === standard ? undefined : value;
  const entries = Object.entries(standard)
    .map(([name, inner]) => [name, difference((value as Record<string, unknown>)[name], inner)] as const)
    .filter(([, changed]) => changed !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
