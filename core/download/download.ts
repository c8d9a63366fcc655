import { ClaimcheckError } from '../errors.ts';
import type { Identity } from '../identity/identity.ts';
import { currentRoles, type RoleSource } from '../identity/role-source.ts';
import { isId } from '../reference/reference.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';
import { toolOfGate } from '../tool/gate.ts';
import { passesGates, type ToolCatalogue } from '../tool/tool-definition.ts';
import type { DownloadFacts, DownloadObjects, DownloadTarget } from './download-objects.ts';
import { attachment, defaultFileName, safeContentType } from './file-name.ts';

export interface DownloadPorts {
  readonly objects: DownloadObjects;
  readonly roles: RoleSource;
  readonly tools: ToolCatalogue;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  /** Lifetime of the signed address, in seconds. */
  readonly urlSeconds: number;
}

/**
 * A link to the caller's own object, or why not (DESIGN 7.2–7.4). The order is the rule: a strict id before anything
 * touches a key, one look under the caller's own prefix, the producing tools' gates with the roles held now, the date.
 * Throws `NotFound` for anything that is not the caller's, `RoleRevoked`, `Expired`, `RolesUnavailable`,
 * `StorageUnavailable`.
 */
export async function download(identity: Identity, target: DownloadTarget, ports: DownloadPorts): Promise<string> {
  const facts = await mayOpen(identity, target, ports);
  const name = facts.fileName ?? defaultFileName(facts, target);
  return ports.objects.signedUrl(
    identity.owner,
    target,
    { disposition: attachment(name), contentType: safeContentType(facts.contentType) },
    ports.urlSeconds,
  );
}

/** The gate alone, for whatever else shows an object's content or facts (the result page). */
export async function mayOpen(
  identity: Identity,
  target: DownloadTarget,
  ports: Pick<DownloadPorts, 'objects' | 'roles' | 'tools' | 'telemetry' | 'clock'>,
): Promise<DownloadFacts> {
  const { telemetry } = ports;
  if (!isId(target.id) || (target.kind === 'result' && !isId(target.session))) {
    throw denied(telemetry, new ClaimcheckError('NotFound', 'Not found.'), 'malformed');
  }
  const facts = await ports.objects.look(identity.owner, target);
  if (facts === undefined) throw denied(telemetry, new ClaimcheckError('NotFound', 'Not found.'), 'not_found');
  const roles = await currentRoles(ports.roles, identity, telemetry);
  if (!passesGates(ports.tools, facts.tools, roles)) {
    const tools = [...new Set(facts.tools.map(toolOfGate))];
    throw denied(
      telemetry,
      new ClaimcheckError(
        'RoleRevoked',
        `This came from ${tools.join(', ') || 'an unknown tool'}, and your current roles no longer allow it. The file is kept; it opens again when the role is given back.`,
        { tools },
      ),
      'role',
    );
  }
  const until = Date.parse(facts.availableUntil);
  // A date that cannot be read promises nothing, and S3 deletes late: the date decides, not the object's presence.
  if (!(until > ports.clock.now().getTime())) {
    throw denied(
      telemetry,
      new ClaimcheckError(
        'Expired',
        `This was kept until ${day(facts.availableUntil)}. Run the tool again to get it anew.`,
        {
          available_until: facts.availableUntil,
        },
      ),
      'expired',
    );
  }
  telemetry.decision('download', { outcome: 'allowed', kind: target.kind, bytes: facts.bytes });
  return facts;
}

function denied(telemetry: Telemetry, error: ClaimcheckError, reason: string): ClaimcheckError {
  telemetry.count('DownloadDenied', 1, { reason });
  telemetry.decision('download', { outcome: 'refused', reason });
  return error;
}

function day(instant: string): string {
  return /^\d{4}-\d{2}-\d{2}/.exec(instant)?.[0] ?? 'an unknown date';
}
