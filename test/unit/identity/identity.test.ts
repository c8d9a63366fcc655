import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ClaimcheckError } from '../../../core/errors.ts';
import { identityOf } from '../../../core/identity/identity.ts';

const cases = JSON.parse(readFileSync(path.join(__dirname, '../../fixtures/cases/identities.json'), 'utf8')) as {
  rows: { id: string; claims: Record<string, unknown> }[];
  same: string[][];
  never_same: string[][];
  refused: string[];
};
const cognito = { kind: 'cognito' } as const;
/** The owner of each row, or undefined where it is refused. */
const owners = new Map(
  cases.rows.map(({ id, claims }) => {
    try {
      return [id, identityOf(claims, cognito).owner as string];
    } catch (error) {
      if (error instanceof ClaimcheckError) return [id, undefined];
      throw error;
    }
  }),
);

test('rows of one person share an owner', () => {
  for (const group of cases.same) expect(new Set(group.map((id) => owners.get(id))).size).toBe(1);
  expect(owners.get('u1')).toBeDefined();
});

test('rows of different people never share one', () => {
  for (const [one = '', other = ''] of cases.never_same) {
    const [first, second] = [owners.get(one), owners.get(other)];
    expect(first === undefined || first !== second).toBe(true);
  }
});

test('claims without a subject are refused, and no owner is called after a missing value', () => {
  for (const id of cases.refused) expect([id, owners.get(id)]).toEqual([id, undefined]);
  for (const sub of [undefined, null, '', '  ', 'undefined', 'null', 7, ['s-1'], { toString: () => 's-1' }]) {
    expect(() => identityOf({ sub }, cognito)).toThrow(ClaimcheckError);
  }
  for (const owner of owners.values()) expect(['undefined', 'null', '']).not.toContain(owner);
});

test('a name that people choose themselves is never what roles are looked up by', () => {
  const claims = { sub: 's-9', preferred_username: 'admin', 'cognito:username': 'olivia', username: 'x' };
  expect(identityOf(claims, { kind: 'oidc' }).username).toBe('s-9');
  expect(identityOf(claims, cognito).username).toBe('olivia');
});

test('subjects that differ only in case are two people where the provider says so', () => {
  const owner = (sub: string, caseSensitive?: boolean) =>
    identityOf({ sub }, { kind: 'oidc', ...(caseSensitive === undefined ? {} : { caseSensitive }) }).owner;
  expect(owner('Ab')).toBe(owner('aB'));
  expect(owner('Ab', true)).not.toBe(owner('aB', true));
});
