import { type ReadFacts, readCoverage } from '../coverage/compute.ts';
import type { Coverage, CoverageReason } from '../coverage/coverage.ts';
import type { ResultIndex } from '../store/result-index.ts';

/** A read also says how many units come after it (`offset + loaded + left` is the total), and the part to read next. */
export type ReadCoverage = Coverage & { readonly left?: number; readonly next_part?: number };

/** What ended a read before its selection was whole: the cap on records, on bytes, or what the request has left. */
export type ReadBound = 'entry_limit' | 'byte_limit' | 'request_limit';

export type ReadOutcome = Pick<ReadFacts, 'offset' | 'limit' | 'delivered' | 'projected' | 'cut' | 'ids'> & {
  readonly stoppedBy: ReadBound | null;
  /** Set for byte ranges, which count bytes of the whole copy. */
  readonly bytes?: boolean;
  /** The next part of the wide record that this read began. */
  readonly nextPart?: number | null;
  /** Record from which a look-up by ids goes on. */
  readonly nextOffset?: number | null;
};

/** The coverage of one read of a stored copy, the facts of the copy itself included (DESIGN 5.4). */
export function coverageOfRead(index: ResultIndex, read: ReadOutcome): ReadCoverage {
  const { stoppedBy, bytes, nextPart, nextOffset, ...facts } = read;
  const coverage = readCoverage({
    ...facts,
    unit: bytes ? 'bytes' : index.unit,
    total: bytes ? index.bytes : index.records,
    population: bytes ? 'finite' : index.population,
    parseLoss: index.parseLoss,
    upstream: index.upstream,
    storage: 'stored',
    stoppedBy: stoppedBy === 'request_limit' ? 'byte_limit' : stoppedBy,
    ...(bytes ? { malformed: 0 } : {}),
  });
  const total = bytes ? index.bytes : index.records;
  return {
    ...coverage,
    ...(read.ids === undefined ? { left: Math.max(0, total - coverage.offset - coverage.loaded) } : {}),
    ...(nextOffset === undefined ? {} : { next_offset: nextOffset }),
    reasons: reasons(index, coverage, stoppedBy),
    ...(nextPart === undefined || nextPart === null ? {} : { next_part: nextPart }),
  };
}

/** A limit that the reader set itself is a selection; `request_limit` is what the model request had left. */
function reasons(index: ResultIndex, coverage: Coverage, stoppedBy: ReadBound | null): CoverageReason[] {
  const list = coverage.reasons.filter((reason) => reason !== 'request_limit');
  const found = new Set<CoverageReason>(list);
  if (coverage.reasons.includes('request_limit')) found.add('selection');
  if (stoppedBy === 'request_limit') {
    found.delete('byte_limit');
    found.add('request_limit');
  }
  if (index.coverage.reasons.includes('identity_mismatch')) found.add('identity_mismatch');
  const order: readonly CoverageReason[] = [
    'selection',
    'entry_limit',
    'byte_limit',
    'request_limit',
    'parse_loss',
    'identity_mismatch',
    'upstream_partial',
    'storage_limit',
    'not_stored',
  ];
  return order.filter((reason) => found.has(reason));
}
