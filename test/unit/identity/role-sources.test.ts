import { currentRoles, type RoleHolder } from '../../../core/identity/role-source.ts';
import { tokenRoles } from '../../../core/identity/token-roles.ts';
import type { MetricName, Telemetry } from '../../../core/telemetry/telemetry.ts';

const now = new Date('2026-06-01T12:00:00Z');
const seconds = now.getTime() / 1000;
const holder = (age: number): RoleHolder => ({ username: 'u', issuedAt: seconds - age, claimedGroups: ['ops'] });

test.each([
  [0, true],
  [299, true],
  [300, false],
  [3_600, false],
  [-30, true],
  [-61, false],
])('the groups of a token %d seconds old count: %s', async (age, counts) => {
  const asked = tokenRoles({ now: () => now }).rolesOf(holder(age));
  if (counts) await expect(asked).resolves.toEqual(['ops']);
  else await expect(asked).rejects.toThrow('younger than 300 s');
});

test('a token without its time of issue is old', async () => {
  await expect(tokenRoles({ now: () => now }).rolesOf({ username: 'u', claimedGroups: ['ops'] })).rejects.toThrow();
});

test('a look-up that fails refuses, and is counted for the alarm', async () => {
  const counted: MetricName[] = [];
  const telemetry: Telemetry = { decision: () => {}, count: (metric) => counted.push(metric) };
  const down = { rolesOf: async () => Promise.reject(new Error('connection refused')) };
  await expect(currentRoles(down, holder(0), telemetry)).rejects.toMatchObject({
    code: 'RolesUnavailable',
    retryable: true,
  });
  expect(counted).toEqual(['RoleLookupFailed']);
});
