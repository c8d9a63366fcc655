import type { Catalogue, CatalogueEntry } from '../catalogue/catalogue.ts';
import { latestVersion, recordRefreshFailure } from '../catalogue/versions.ts';
import { ClaimcheckError } from '../errors.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';
import type { ToolCall } from './execute-tool.ts';

/** The version that a call's result would follow: of the same tool and arguments in the same session (DESIGN 5.2). */
export async function supersededVersion(
  { run, toolUse, digest }: ToolCall,
  ports: { readonly catalogue: Pick<Catalogue, 'session'>; readonly telemetry: Telemetry },
): Promise<CatalogueEntry | null> {
  const call = { owner: run.owner, session: run.session, tool: toolUse.name, argumentDigest: digest };
  try {
    return (await latestVersion(call, ports.catalogue)) ?? null;
  } catch (error) {
    // A catalogue that cannot be asked costs the number of the version, not the tool's answer.
    if (!(error instanceof ClaimcheckError)) throw error;
    ports.telemetry.decision('version_unknown', { tool: toolUse.name, code: error.code });
    return null;
  }
}

/** A failed refresh is a fact beside the old version; a repeat of the same event adds no second one. */
export async function noteFailedRefresh(
  call: ToolCall,
  previous: CatalogueEntry | null,
  code: string,
  ports: { readonly catalogue: Pick<Catalogue, 'add'>; readonly clock: Clock },
): Promise<void> {
  if (previous === null) return;
  const { runId, rolesDigest } = call.run;
  const at = ports.clock.now().toISOString();
  await recordRefreshFailure(previous, { runId, code, at, rolesDigest, id: failureId(call) }, ports.catalogue);
}

/** An id that names no object: the same for a repeat of the same event, another for another run. */
function failureId({ run, digest, turn, index }: ToolCall): string {
  const place = String(turn).padStart(4, '0') + String(index).padStart(4, '0');
  return digest.slice(0, 12) + run.runId.slice(0, 12) + place;
}
