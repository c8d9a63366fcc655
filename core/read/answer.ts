import type { CatalogueEntry } from '../catalogue/catalogue.ts';
import type { JsonValue } from '../json.ts';
import type { ReadBound, ReadCoverage } from './read-coverage.ts';
import { type Selection, selectionArguments } from './selection.ts';

/** Which exact stored version an answer comes from. */
export interface ReadVersion {
  readonly ref: string;
  readonly tool: string;
  readonly tool_version: string;
  readonly version: number;
  readonly supersedes: string | null;
  readonly acquired_at: string;
  readonly available_until: string;
  readonly sha256: string;
}

export function readVersion(entry: CatalogueEntry): ReadVersion {
  return {
    ref: entry.ref,
    tool: entry.tool,
    tool_version: entry.toolVersion,
    version: entry.version,
    supersedes: entry.supersedes,
    acquired_at: entry.acquiredAt,
    available_until: entry.availableUntil,
    sha256: entry.sha256,
  };
}

/** The bytes that one answer may hold, envelope included, and which of the two bounds that is (DESIGN 5.4, 5.7). */
export interface ReadRoom {
  readonly bytes: number;
  readonly bound: Extract<ReadBound, 'byte_limit' | 'request_limit'>;
  /** `read.maxBytes`: what parts of wide records are cut by, whoever asks. */
  readonly maxBytes: number;
}

/** `left`: bytes that the model request has left for this answer; `null` when nobody knows. */
export function readRoom(maxBytes: number, left: number | null): ReadRoom {
  return left !== null && left < maxBytes
    ? { bytes: Math.max(0, left), bound: 'request_limit', maxBytes }
    : { bytes: maxBytes, bound: 'byte_limit', maxBytes };
}

export interface ReadAnswer {
  /** `{"data":…,"coverage":…,"version":…}`: JSON text with the tool's own bytes inside. */
  readonly text: string;
  readonly coverage: ReadCoverage;
  readonly delivered: DeliveredRead;
}

/** Structured facts kept in the tool outcome: markers, the final request check and the basis are made of these. */
export type DeliveredRead = {
  readonly kind: 'read';
  readonly ref: string;
  /** The arguments that repeat this read exactly. */
  readonly selection: { readonly [argument: string]: JsonValue };
  /** null: all fields. */
  readonly fields: readonly string[] | null;
  /** Numbers of the records that stood whole in the answer, as half-open ranges; none for bytes and parts. */
  readonly ranges: readonly (readonly [number, number])[];
  readonly coverage: { readonly [fact: string]: JsonValue };
};

export function answerText(data: string, coverage: ReadCoverage, version: ReadVersion | null): string {
  const facts = `"coverage":${JSON.stringify(coverage)}`;
  return version === null
    ? `{"data":${data},${facts}}`
    : `{"data":${data},${facts},"version":${JSON.stringify(version)}}`;
}

export function readAnswer(
  data: string,
  selection: Selection,
  coverage: ReadCoverage,
  version: ReadVersion | null,
  ranges: DeliveredRead['ranges'],
): ReadAnswer {
  return {
    text: answerText(data, coverage, version),
    coverage,
    delivered: {
      kind: 'read',
      ref: version?.ref ?? '',
      selection: selectionArguments(selection),
      fields: selection.fields,
      ranges,
      coverage: coverage as unknown as DeliveredRead['coverage'],
    },
  };
}
