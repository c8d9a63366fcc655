import type { JsonBlock } from '../content/block.ts';
import type { Coverage } from '../coverage/coverage.ts';
import { searchExecuted } from '../coverage/open-population.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { ColumnProfile, Profile } from '../profile/profile.ts';
import { blockBytes } from './content-size.ts';
import type { ResultIndex } from './result-index.ts';

export interface DataReferencePlace {
  /** `publicBaseUrl`, no trailing slash. */
  readonly baseUrl: string;
  /** What the content before the block shows of the stored result. */
  readonly coverage: Coverage;
  /** Bytes for the whole block. */
  readonly maxBytes: number;
  /** Bytes of the profile inside it (4 KiB, DESIGN 5.3); 0: none. */
  readonly profileBytes: number;
}

/**
 * The data reference block of DESIGN 5.3. It is cut to its place from the least needed part on: first columns of the
 * profile, then the profile, then names of fields; what was left out is counted. With no room at all the smallest
 * block is answered, so its size is for the caller to check.
 */
export function dataReference(index: ResultIndex, place: DataReferencePlace): JsonBlock {
  const make = (fields: readonly string[], profile: Profile | null): JsonBlock => block(index, place, fields, profile);
  const none = index.profile === null || place.profileBytes === 0;
  const profile = none ? null : within(index.profile as Profile, place.profileBytes);
  const fits = (candidate: JsonBlock): boolean => blockBytes(candidate) <= place.maxBytes;
  const whole = make(index.fields, profile);
  if (fits(whole)) return whole;
  if (profile !== null) {
    const room = place.maxBytes - blockBytes(make(index.fields, null));
    const smaller = within(index.profile as Profile, Math.min(place.profileBytes, room - 16));
    if (smaller.columns.length > 0) {
      const candidate = make(index.fields, smaller);
      if (fits(candidate)) return candidate;
    }
  }
  let fields = index.fields;
  while (fields.length > 0 && !fits(make(fields, null))) fields = fields.slice(0, Math.floor(fields.length / 2));
  const least = make(fields, null);
  return fits(least) ? least : block(index, { ...place, coverage: withFewIds(place.coverage) }, fields, null);
}

/** Ids of each kind that are named at the very least; the counts beside them stay true. */
const fewIds = 3;

/** Ids are a tool's, and long ones of three kinds would take the place of the result itself. */
function withFewIds(coverage: Coverage): Coverage {
  const { missing_ids: missing, duplicate_ids: duplicate, unexpected_ids: unexpected } = coverage;
  if (missing === undefined && duplicate === undefined && unexpected === undefined) return coverage;
  const id_counts = coverage.id_counts ?? {
    missing: missing?.length ?? 0,
    duplicate: duplicate?.length ?? 0,
    unexpected: unexpected?.length ?? 0,
  };
  return {
    ...coverage,
    id_counts,
    ...(missing === undefined ? {} : { missing_ids: missing.slice(0, fewIds) }),
    ...(duplicate === undefined ? {} : { duplicate_ids: duplicate.slice(0, fewIds) }),
    ...(unexpected === undefined ? {} : { unexpected_ids: unexpected.slice(0, fewIds) }),
  };
}

/** The columns of a profile, in order, that fit `maxBytes` of JSON; the others are counted in `columns_left_out`. */
export function within(profile: Profile, maxBytes: number): Profile {
  const total = profile.columns.length + profile.columns_left_out;
  const kept: ColumnProfile[] = [];
  let bytes = Buffer.byteLength(JSON.stringify({ ...profile, columns: [], columns_left_out: total }), 'utf8');
  for (const column of profile.columns) {
    bytes += Buffer.byteLength(JSON.stringify(column), 'utf8') + 1;
    if (bytes > maxBytes) break;
    kept.push(column);
  }
  return { ...profile, columns: kept, columns_left_out: total - kept.length };
}

function block(
  index: ResultIndex,
  place: DataReferencePlace,
  fields: readonly string[],
  profile: Profile | null,
): JsonBlock {
  const leftOut = index.fields.length - fields.length;
  const open = index.population === 'open';
  const reference: JsonObject = {
    ref: index.ref,
    tool: index.tool,
    kind: index.kind,
    bytes: index.bytes,
    sha256: index.sha256,
    [index.unit]: index.records,
    ...(index.path === null || index.path === '' ? {} : { path: index.path }),
    population: index.population,
    ...(open ? { note: searchExecuted(index.records) } : {}),
    fields: [...fields],
    ...(leftOut > 0 ? { fields_left_out: leftOut } : {}),
    acquired_at: index.acquiredAt,
    available_until: index.availableUntil,
    // A process of its own has no address for people.
    ...(place.baseUrl === '' ? {} : { download_url: `${place.baseUrl}/results/${index.ref}` }),
    ...(index.parseLoss === null ? {} : { parse_loss: index.parseLoss.note }),
    ...(index.leftOut.length === 0 ? {} : { left_out: [...index.leftOut] }),
    coverage: place.coverage as unknown as JsonValue,
    ...(profile === null ? {} : { profile: profile as unknown as JsonValue }),
  };
  return { json: { data_reference: reference } };
}
