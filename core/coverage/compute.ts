import type { Coverage, CoverageReason, CoverageUnit } from './coverage.ts';
import type { IdentityReconciliation } from './identity.ts';

/** What is true of the result as a whole, whoever reads it: facts of the scan, the catalogue and the store. */
export interface SourceFacts {
  readonly unit: CoverageUnit;
  /** Whole records (lines, bytes) of the authorised view that are held. */
  readonly total: number;
  /** `open`: a search, whose population nobody can count (DESIGN 5.4). Default `finite`. */
  readonly population?: 'finite' | 'open';
  /** Malformed records that `total` does not count. */
  readonly parseLoss?: { readonly records: number } | null;
  readonly upstream?: { readonly partial: boolean; readonly total: number | null } | null;
  /** Against the ids that the tool was asked for; null when it has no declared identity. */
  readonly identity?: IdentityReconciliation | null;
  /** `stored`: the whole is kept. `too_large`: past `storage.maxBytes`. `not_stored`: the store did not confirm. */
  readonly storage?: 'stored' | 'too_large' | 'not_stored' | 'not_needed';
}

export interface PreviewFacts extends SourceFacts {
  /** Whole records shown, a contiguous prefix. */
  readonly shown: number;
  /** The preview is the full value. */
  readonly complete: boolean;
  /** A value in the preview is visibly shortened, or a record in it was cut. */
  readonly shortened?: boolean;
  /** Records that the tool was asked for, where its input says so. */
  readonly requested?: number;
}

export interface ReadFacts extends SourceFacts {
  readonly offset: number;
  /** Units asked for; null: to the end. Not used when `ids` are given. */
  readonly limit: number | null;
  /** Units delivered, starting at `offset`. */
  readonly delivered: number;
  /** What ended the read before the selection was whole. */
  readonly stoppedBy?: 'entry_limit' | 'byte_limit' | null;
  /** Fields, or a part of the records, were chosen. */
  readonly projected?: boolean;
  /** The last delivered unit lacks some of its bytes. */
  readonly cut?: boolean;
  /** Malformed records inside the range that was read; default: those of the whole result. */
  readonly malformed?: number;
  /** The ids asked for and how what was delivered compares with them. */
  readonly ids?: { readonly requested: number; readonly reconciled: IdentityReconciliation };
}

/** The coverage of a preview: everything was asked for, a prefix is shown. */
export function previewCoverage(facts: PreviewFacts): Coverage {
  const open = facts.population === 'open';
  const malformed = facts.parseLoss?.records ?? 0;
  const whole = facts.complete || facts.shown >= facts.total;
  const byteComplete = facts.shortened !== true;
  const requested = facts.requested ?? (open ? null : facts.total + malformed);
  const short = facts.requested !== undefined && facts.requested > facts.total;
  const explained = malformed > 0 || facts.identity?.mismatch === true || facts.upstream?.partial === true;
  const reasons: CoverageReason[] = [];
  if (!whole || !byteComplete) reasons.push('byte_limit');
  addSourceReasons(reasons, facts, malformed);
  // Fewer came than were asked for, and nothing else says why: the source gave a part.
  if (short && !explained) reasons.push('upstream_partial');
  if (!whole || !byteComplete) addStorageReasons(reasons, facts);
  return {
    unit: facts.unit,
    requested,
    loaded: whole && byteComplete ? facts.total : facts.shown,
    total: open ? null : facts.total,
    offset: 0,
    next_offset: whole ? null : facts.shown,
    byte_complete: byteComplete,
    filtered_count: malformed,
    selection_complete: whole && byteComplete && malformed === 0 && !short,
    input_complete: open ? null : reasons.length === 0,
    reasons,
    ...sourceDetails(facts, facts.identity),
  };
}

/**
 * The coverage of one read. `requested` is what the selection comes to in this result (`limit` past the end asks
 * for what is there), so `requested - loaded` is always a real gap; with ids it is the number of ids.
 */
export function readCoverage(facts: ReadFacts): Coverage {
  const open = facts.population === 'open';
  const malformed = facts.malformed ?? facts.parseLoss?.records ?? 0;
  const available = Math.max(0, facts.total - facts.offset);
  const byIds = facts.ids !== undefined;
  const requested = facts.ids?.requested ?? Math.min(facts.limit ?? available, available);
  const end = facts.offset + facts.delivered;
  const missing = facts.ids?.reconciled.counts.missing ?? 0;
  const byteComplete = facts.cut !== true;
  const stopped = facts.stoppedBy ?? (byteComplete ? null : 'byte_limit');
  const short = byIds ? missing > 0 || stopped !== null : facts.delivered < requested;

  const reasons: CoverageReason[] = [];
  if (byIds || facts.projected === true || facts.offset > 0) reasons.push('selection');
  if (stopped !== null) reasons.push(stopped);
  else if (!byIds && end < facts.total && facts.limit !== null) reasons.push('request_limit');
  if (facts.ids?.reconciled.mismatch === true) reasons.push('identity_mismatch');
  addSourceReasons(reasons, facts, malformed);
  addStorageReasons(reasons, facts);

  return {
    unit: facts.unit,
    requested,
    loaded: facts.delivered,
    total: open ? null : facts.total,
    offset: facts.offset,
    next_offset: byIds || end >= facts.total || facts.delivered === 0 ? stalled(facts, stopped) : end,
    byte_complete: byteComplete,
    filtered_count: malformed,
    selection_complete: !short && byteComplete,
    input_complete: open ? null : reasons.length === 0 && facts.delivered >= facts.total,
    reasons,
    ...sourceDetails(facts, facts.ids?.reconciled ?? facts.identity),
  };
}

/** The coverage of a result of which nothing was kept and `shown` of `total` units could be given. */
export function notStored(
  facts: Omit<PreviewFacts, 'storage'>,
  why: 'storage_limit' | 'not_stored' = 'not_stored',
): Coverage {
  return previewCoverage({ ...facts, storage: why === 'storage_limit' ? 'too_large' : 'not_stored' });
}

/** A read that a limit stopped before its first unit stands where it stood: the same offset, a narrower ask. */
function stalled(facts: ReadFacts, stopped: CoverageReason | null): number | null {
  return facts.ids === undefined && facts.delivered === 0 && stopped !== null && facts.offset < facts.total
    ? facts.offset
    : null;
}

function addSourceReasons(reasons: CoverageReason[], facts: SourceFacts, malformed: number): void {
  if (malformed > 0 || (facts.parseLoss !== null && facts.parseLoss !== undefined)) reasons.push('parse_loss');
  if (facts.identity?.mismatch === true && !reasons.includes('identity_mismatch')) reasons.push('identity_mismatch');
  if (facts.upstream?.partial === true) reasons.push('upstream_partial');
}

function addStorageReasons(reasons: CoverageReason[], facts: SourceFacts): void {
  if (facts.storage === 'too_large') reasons.push('storage_limit');
  if (facts.storage === 'not_stored') reasons.push('not_stored');
}

/** Ids and the tool's own total, named only where there is something to name. */
function sourceDetails(
  facts: SourceFacts,
  identity: IdentityReconciliation | null | undefined,
): Pick<Coverage, 'missing_ids' | 'duplicate_ids' | 'unexpected_ids' | 'id_counts' | 'upstream_total'> {
  const cut =
    identity !== null &&
    identity !== undefined &&
    (identity.missing_ids.length < identity.counts.missing ||
      identity.duplicate_ids.length < identity.counts.duplicate ||
      identity.unexpected_ids.length < identity.counts.unexpected);
  const told = facts.upstream?.partial === true ? facts.upstream.total : null;
  return {
    ...(identity
      ? {
          missing_ids: identity.missing_ids,
          duplicate_ids: identity.duplicate_ids,
          unexpected_ids: identity.unexpected_ids,
        }
      : {}),
    ...(identity && cut ? { id_counts: identity.counts } : {}),
    ...(told !== null && told > facts.total ? { upstream_total: told } : {}),
  };
}
