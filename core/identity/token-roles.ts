import type { Clock } from '../telemetry/telemetry.ts';
import type { RoleHolder, RoleSource } from './role-source.ts';

/** Seconds for which a token's own list of groups counts as current (DESIGN 7.4). */
export const freshTokenSeconds = 300;

/** Believes the groups in a token younger than five minutes and nothing else; an older token is refused, not trusted. */
export function tokenRoles(clock: Clock): RoleSource {
  return {
    rolesOf: async (holder: RoleHolder) => {
      const age = clock.now().getTime() / 1000 - (holder.issuedAt ?? 0);
      // A token "from the future" beyond ordinary clock skew proves nothing about now either.
      if (age >= freshTokenSeconds || age < -60) throw new StaleToken(Math.round(age));
      return holder.claimedGroups ?? [];
    },
  };
}

/** The token's groups are too old to be called current. */
export class StaleToken extends Error {
  override readonly name = 'StaleToken';
  readonly ageSeconds: number;
  constructor(ageSeconds: number) {
    super(`token: expected one younger than ${freshTokenSeconds} s, found ${ageSeconds} s`);
    this.ageSeconds = ageSeconds;
  }
}
