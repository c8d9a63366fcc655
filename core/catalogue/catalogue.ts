import type { OwnerKey } from '../reference/owner-key.ts';
import type { ResultKind } from '../scan/scan-summary.ts';

/** One version of one result, or the fact that a refresh failed. Existence, shape and dates; never content. */
export interface CatalogueEntry {
  readonly owner: OwnerKey;
  readonly ref: string;
  readonly status: 'stored' | 'refresh_failed';
  readonly tool: string;
  readonly toolVersion: string;
  readonly gates: readonly string[];
  readonly runId: string;
  /** Digest of tool name and canonical arguments. */
  readonly argumentDigest: string;
  readonly kind: ResultKind | null;
  readonly path: string | null;
  readonly records: number | null;
  readonly unit: 'records' | 'lines';
  readonly bytes: number;
  readonly sha256: string;
  readonly fields: readonly string[];
  readonly population: 'finite' | 'open';
  readonly acquiredAt: string;
  readonly availableUntil: string;
  /** 1 for the first version; a refresh is one more and names what it supersedes. */
  readonly version: number;
  readonly supersedes: string | null;
  readonly derivedFrom: readonly string[];
  /** Set when the same content also exists as a CSV export. */
  readonly exportId?: string;
  /** Set for `refresh_failed`: the error code. */
  readonly failure?: string;
  /** Scope for reuse: digest over the roles held when it was acquired. */
  readonly rolesDigest: string;
  readonly reusable: boolean;
  readonly fileName?: string;
  /** Media type of a picture, whose lines and records mean nothing. */
  readonly pictureType?: string;
}

/** One number of one call's versions: at most one result holds it. */
export interface VersionClaim {
  readonly owner: OwnerKey;
  readonly session: string;
  readonly tool: string;
  readonly argumentDigest: string;
  readonly version: number;
  readonly ref: string;
  /** ISO 8601, UTC: the claim is of no use past it. */
  readonly availableUntil: string;
}

export interface CataloguePage {
  readonly entries: readonly CatalogueEntry[];
  /** Key of the last entry read, to be sealed by the caller before it leaves; null at the end. */
  readonly last: string | null;
}

/** Rows are keyed by owner, then by reference: another owner's rows cannot be reached by any argument. */
export interface Catalogue {
  /** Create-only; a repeat with the same ref is a success. */
  add(entry: CatalogueEntry): Promise<void>;
  /** Create-only. Answers the reference that holds the number: the claim's own, or that of the one who came first. */
  claimVersion(claim: VersionClaim): Promise<string>;
  find(owner: OwnerKey, ref: string): Promise<CatalogueEntry | undefined>;
  /** All entries of one session, oldest first. */
  session(owner: OwnerKey, session: string): Promise<readonly CatalogueEntry[]>;
  /** All of an owner's entries, newest first, paged. */
  page(owner: OwnerKey, after: string | null, limit: number): Promise<CataloguePage>;
  /** Bytes stored for the owner that have not expired: what the quota counts. */
  usedBytes(owner: OwnerKey, now: string): Promise<number>;
}
