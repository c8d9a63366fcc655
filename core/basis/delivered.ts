import type { Coverage } from '../coverage/coverage.ts';
import type { RecordRange } from './basis.ts';

/** What one tool call put before the model, as far as the basis is concerned. */
export interface Delivered {
  readonly kind: 'read' | 'analysis';
  readonly refs: readonly string[];
  /** null: all fields. */
  readonly fields: readonly string[] | null;
  /** Record numbers of the stored result that stood in the answer; empty for an analysis. */
  readonly ranges: readonly RecordRange[];
  readonly coverage: Coverage | undefined;
  /** An analysis whose input was each whole stored result. */
  readonly wholeInput: boolean;
  /** References of what an analysis stored for the person: a kept answer, a chart's picture. */
  readonly kept: readonly string[];
}

/**
 * Reads the facts that a read or an analysis left in its outcome. They were written by platform code; an outcome of
 * an older version may lack some, and then nothing is claimed for it.
 */
export function deliveredFacts(value: unknown): Delivered | undefined {
  if (!isObject(value)) return undefined;
  const coverage = coverageOf(value['coverage']);
  const refs = [...strings(value['refs']), ...strings([value['ref']])];
  if (refs.length === 0) return undefined;
  const kind = value['kind'] === 'analysis' ? 'analysis' : 'read';
  const fields = Array.isArray(value['fields']) ? strings(value['fields']) : null;
  const stated = rangesOf(value['ranges']);
  const ranges = kind === 'analysis' ? [] : (stated ?? pageOf(coverage));
  return {
    kind,
    refs,
    fields,
    ranges,
    coverage,
    wholeInput: kind === 'analysis' && (value['wholeInput'] === true || coverage?.input_complete === true),
    kept: kind === 'analysis' ? strings(value['kept']) : [],
  };
}

/** A contiguous page; a selection by ids has no place in the numbering and claims none unless it states its ranges. */
function pageOf(coverage: Coverage | undefined): readonly RecordRange[] {
  if (coverage === undefined || coverage.unit === 'bytes' || coverage.missing_ids !== undefined) return [];
  return [[coverage.offset, coverage.offset + coverage.loaded]];
}

export function coverageOf(value: unknown): Coverage | undefined {
  return isObject(value) && typeof value['loaded'] === 'number' && typeof value['offset'] === 'number'
    ? (value as unknown as Coverage)
    : undefined;
}

function rangesOf(value: unknown): readonly RecordRange[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((pair): RecordRange[] =>
    Array.isArray(pair) && typeof pair[0] === 'number' && typeof pair[1] === 'number' ? [[pair[0], pair[1]]] : [],
  );
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
