import type { Catalogue, CatalogueEntry } from '../catalogue/catalogue.ts';
import { ClaimcheckError } from '../errors.ts';
import { parseReference } from '../reference/reference.ts';
import type { Grants, Run } from '../run/run.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { ResultAddress, ResultStore } from '../store/result-store.ts';
import { type Clock, systemClock } from '../telemetry/telemetry.ts';
import { passesGates, type ToolCatalogue } from '../tool/tool-definition.ts';

export interface GrantCheckPorts {
  readonly grants: Grants;
  readonly catalogue: Catalogue;
  readonly tools: ToolCatalogue;
  readonly store: Pick<ResultStore, 'readIndex'>;
  readonly clock?: Clock;
}

/** One exact stored version that this run may read: its catalogue row, commit record and owner-bound address. */
export interface GrantedResult {
  readonly entry: CatalogueEntry;
  readonly index: ResultIndex;
  readonly address: ResultAddress;
}

/**
 * Opens a stored result for a run (DESIGN 5.8, 7.5), or throws
 * - `BadReference`: not `<32 hex>/<32 hex>`; nothing was looked up;
 * - `NotFound`: unknown, another owner's, another session's, another run's, or closed to the roles recorded at
 *   admission: one answer, word for word;
 * - `Expired`: the run holds a grant, and the date is past or the stored copy is gone. No other version is tried.
 *
 * Roles are those recorded at admission: neither a read nor its recovery asks the identity provider (DESIGN 7.5).
 */
export async function openGranted(run: Run, ref: unknown, ports: GrantCheckPorts): Promise<GrantedResult> {
  const granted = await checkGrant(run, ref, ports);
  const index = await ports.store.readIndex(granted.address);
  // A body without its commit record does not exist: deleted, erased or never committed.
  if (index === undefined) throw expired(granted.entry);
  return { ...granted, index };
}

/** The same check without opening the stored copy: what a hand-off or an analysis asks before it starts. */
export async function checkGrant(
  run: Run,
  ref: unknown,
  ports: Omit<GrantCheckPorts, 'store'>,
): Promise<{ readonly entry: CatalogueEntry; readonly address: ResultAddress }> {
  const parsed = parseReference(ref);
  // Keyed by the run's own owner: another owner's row cannot be reached by any reference.
  const [grant, entry] = await Promise.all([
    ports.grants.find(run.runId, parsed.ref),
    ports.catalogue.find(run.owner, parsed.ref),
  ]);
  if (entry?.status !== 'stored') throw notFound();
  const now = (ports.clock ?? systemClock).now();
  const past = Date.parse(entry.availableUntil) <= now.getTime();
  if (grant === undefined) {
    const via = run.admittedReferences.includes(parsed.ref)
      ? 'admitted'
      : parsed.session === run.session
        ? 'session'
        : undefined;
    // `Expired` is an answer about one's own grants only, so what was never granted stays unknown.
    if (via === undefined || past || !passesGates(ports.tools, entry.gates, run.roles)) throw notFound();
    await ports.grants.give(run.runId, { ref: parsed.ref, via, grantedAt: now.toISOString() });
  }
  if (past) throw expired(entry);
  return { entry, address: { owner: run.owner, session: parsed.session, id: parsed.id } };
}

/** A picture is a person's to look at: its bytes are no lines, and no table. Throws `InvalidInput`. */
export function refusePicture({ pictureType }: Pick<ResultIndex, 'pictureType'>, name: string): void {
  if (pictureType === undefined) return;
  throw new ClaimcheckError(
    'InvalidInput',
    `${name}: expected records or text, found a picture (${pictureType}); give its link to the person instead`,
  );
}

function notFound(): ClaimcheckError {
  return new ClaimcheckError(
    'NotFound',
    'ref: this run holds no such result; list_results shows the ones that it can read',
  );
}

/** For a run's own grant: the copy is gone or past its date. Also thrown when the body vanished under the reader. */
export function expired(entry: Pick<CatalogueEntry, 'ref' | 'tool' | 'availableUntil'>): ClaimcheckError {
  return new ClaimcheckError(
    'Expired',
    `result ${entry.ref} is no longer available (it was kept until ${entry.availableUntil}); run ${entry.tool} again`,
    { ref: entry.ref, tool: entry.tool, available_until: entry.availableUntil },
  );
}
