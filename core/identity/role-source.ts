import { ClaimcheckError } from '../errors.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** What a role look-up needs to know of a person; a run keeps the same facts. */
export interface RoleHolder {
  readonly username: string;
  readonly issuedAt?: number;
  readonly claimedGroups?: readonly string[];
}

/**
 * Where current roles come from (DESIGN 7.4). Answers the exact role names; an empty list is a fact, not a failure.
 * Anything that keeps the answer from being known is thrown.
 */
export interface RoleSource {
  rolesOf(holder: RoleHolder): Promise<readonly string[]>;
}

/**
 * The roles somebody holds now. A source that fails refuses: `RolesUnavailable`, counted as `RoleLookupFailed`, so that
 * an outage of the directory never opens what a role closes.
 */
export async function currentRoles(
  source: RoleSource,
  holder: RoleHolder,
  telemetry: Telemetry,
): Promise<readonly string[]> {
  try {
    return await source.rolesOf(holder);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.name : 'Unknown';
    telemetry.count('RoleLookupFailed', 1);
    telemetry.decision('roles', { outcome: 'unknown', reason });
    throw new ClaimcheckError(
      'RolesUnavailable',
      'Your current roles could not be checked, so access is refused for now. Try again in a moment.',
      { reason },
      { cause },
    );
  }
}
