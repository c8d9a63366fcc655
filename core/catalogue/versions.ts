import { ClaimcheckError } from '../errors.ts';
import type { OwnerKey } from '../reference/owner-key.ts';
import { makeReference, newId } from '../reference/reference.ts';
import type { Catalogue, CatalogueEntry } from './catalogue.ts';

/** The call whose result may be a further version of an earlier one: same owner, session, tool and arguments. */
export interface VersionedCall {
  readonly owner: OwnerKey;
  readonly session: string;
  readonly tool: string;
  /** Digest of tool name and canonical arguments. */
  readonly argumentDigest: string;
}

/** The newest stored version of a call in its session, whatever its date; `undefined` when it never ran. */
export async function latestVersion(
  call: VersionedCall,
  catalogue: Pick<Catalogue, 'session'>,
): Promise<CatalogueEntry | undefined> {
  let latest: CatalogueEntry | undefined;
  for (const entry of await catalogue.session(call.owner, call.session)) {
    if (entry.status !== 'stored' || entry.tool !== call.tool || entry.argumentDigest !== call.argumentDigest) continue;
    if (latest === undefined || entry.version > latest.version || isLater(entry, latest)) latest = entry;
  }
  return latest;
}

/**
 * Number and predecessor of the version that is about to be written (DESIGN 5.2). A stored result is immutable: a
 * refresh is a new id that names what it supersedes, and the old version stays readable until its own date.
 */
export async function nextVersion(
  call: VersionedCall,
  catalogue: Pick<Catalogue, 'session'>,
): Promise<{ readonly version: number; readonly supersedes: string | null }> {
  const latest = await latestVersion(call, catalogue);
  return { version: (latest?.version ?? 0) + 1, supersedes: latest?.ref ?? null };
}

/**
 * Takes the number of a version that is about to be written: the next after `previous`, or the first free one behind it
 * when results of the same call are made at the same time, so that no two are the same version. A result that comes
 * second supersedes the one that came first, if that one is there to be read. A repeat with the same reference answers
 * the same number. Throws `StorageUnavailable` where no number is free: a catalogue that answers so would be asked for ever.
 */
export async function claimVersion(
  call: VersionedCall,
  previous: { readonly ref: string; readonly version: number } | null,
  result: { readonly ref: string; readonly availableUntil: string },
  catalogue: Pick<Catalogue, 'claimVersion' | 'find'>,
): Promise<{ readonly version: number; readonly supersedes: string | null }> {
  let supersedes = previous?.ref ?? null;
  const first = (previous?.version ?? 0) + 1;
  for (let version = first; version < first + triedVersions; version++) {
    const holder = await catalogue.claimVersion({ ...call, ...result, version });
    if (holder === result.ref) return { version, supersedes };
    if ((await catalogue.find(call.owner, holder)) !== undefined) supersedes = holder;
  }
  throw new ClaimcheckError(
    'StorageUnavailable',
    `catalogue: versions ${first} to ${first + triedVersions - 1} of the call are taken, one free was expected`,
  );
}

/** Results of one call that may be made at the same time, each of which takes a number. */
const triedVersions = 1_000;

export interface RefreshFailure {
  readonly runId: string;
  /** The error code that the refresh ended with. */
  readonly code: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly rolesDigest: string;
  /** Fixed id, so that a repeated event records the fact once; made here when absent. */
  readonly id?: string;
}

/**
 * Keeps a failed refresh as a fact beside the version it was to replace: a row of its own, without content, that
 * names the old version. The old version is untouched. Answers the row.
 */
export async function recordRefreshFailure(
  previous: CatalogueEntry,
  failure: RefreshFailure,
  catalogue: Pick<Catalogue, 'add'>,
): Promise<CatalogueEntry> {
  const session = previous.ref.slice(0, 32);
  const { exportId: _export, fileName: _file, ...shared } = previous;
  const entry: CatalogueEntry = {
    ...shared,
    ref: makeReference(session, failure.id ?? newId()),
    status: 'refresh_failed',
    runId: failure.runId,
    kind: null,
    path: null,
    records: null,
    bytes: 0,
    sha256: '',
    fields: [],
    acquiredAt: failure.at,
    version: previous.version + 1,
    supersedes: previous.ref,
    derivedFrom: [],
    failure: failure.code,
    rolesDigest: failure.rolesDigest,
    reusable: false,
  };
  await catalogue.add(entry);
  return entry;
}

function isLater(entry: CatalogueEntry, than: CatalogueEntry): boolean {
  return entry.version === than.version && entry.acquiredAt > than.acquiredAt;
}
