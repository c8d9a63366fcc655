import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a policy may ask that the emulator cannot know: it has no TLS, and tells no partition keys to the evaluator. */
const unknowable = /"(?:aws:SecureTransport|s3:TlsVersion|dynamodb:LeadingKeys)"/;

/**
 * Prepares a stopped emulator's state for a start that enforces policies. Statements that deny requests without TLS
 * are dropped, allowing statements lose their condition on partition keys, and a secret is named by its ARN, where the
 * emulator's `Ref` has given the name alone. Everything else stays as deployed, so a right that is missing is missed.
 * Answers the number of statements changed; what was prepared before changes nothing.
 */
export function relaxPolicies(stateFolder: string): number {
  let changed = 0;
  for (const name of ['iam.json', 's3.json']) {
    const file = join(stateFolder, name);
    if (!existsSync(file)) continue;
    const before = changed;
    const state = relaxed(JSON.parse(readFileSync(file, 'utf8')));
    if (changed > before) writeFileSync(file, JSON.stringify(state));
  }
  return changed;

  /** Policies lie in the state as JSON text or as objects, at places that are the emulator's own business. */
  function relaxed(value: unknown): unknown {
    if (typeof value === 'string') {
      return unknowable.test(value) && value.trimStart().startsWith('{')
        ? JSON.stringify(relaxed(JSON.parse(value)))
        : value;
    }
    if (Array.isArray(value)) return value.map(relaxed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        key === 'Statement' && Array.isArray(member) ? member.flatMap(statement) : relaxed(member),
      ]),
    );
  }

  function statement(one: Readonly<Record<string, unknown>>): readonly unknown[] {
    const secret = secretName(one);
    if (secret !== undefined) {
      changed += 1;
      return [{ ...one, Resource: `arn:aws:secretsmanager:*:*:secret:${secret}*` }];
    }
    if (!unknowable.test(JSON.stringify(one['Condition'] ?? null))) return [one];
    changed += 1;
    if (one['Effect'] === 'Deny') return [];
    const { Condition: _unknowable, ...rest } = one;
    return [rest];
  }
}

/** The name that stands where the ARN of a secret should. */
function secretName({ Action, Resource }: Readonly<Record<string, unknown>>): string | undefined {
  const named = typeof Resource === 'string' && Resource !== '*' && !Resource.startsWith('arn:');
  return named && JSON.stringify(Action ?? '').includes('secretsmanager:') ? Resource : undefined;
}
