import type { Coverage } from '../coverage/coverage.ts';
import { contentDigest } from '../guard/content-digest.ts';
import type { Replacement } from '../guard/replacements.ts';
import type { Basis, BasisSelection, RecordRange, ResultBasis } from './basis.ts';
import { coverageOf, deliveredFacts } from './delivered.ts';
import { countOf, unionOf } from './record-ranges.ts';
import type { RunCall } from './run-calls.ts';

interface Gathering {
  readonly ref: string | null;
  tool: string;
  unit: 'records' | 'lines';
  total: number | null;
  open: boolean;
  ranges: RecordRange[];
  readonly selections: BasisSelection[];
  analyses: number;
  wholeAnalyses: number;
  readonly losses: Set<string>;
}

/**
 * What an answer rests on (DESIGN 2 "coverage", 5.4): for each result, the union of the record numbers that stood in
 * requests really sent, and what was lost before the model could see it. Counts; it judges nothing.
 */
export function collectBasis(calls: readonly RunCall[], replacements: readonly Replacement[]): Basis {
  const byRef = new Map<string, Gathering>();
  const unstored: Gathering[] = [];
  for (const call of calls) {
    if (call.sentAt === null) continue;
    const { outcome } = call;
    const delivered = deliveredFacts(outcome.delivered);
    if (delivered !== undefined) {
      if (outcome.status === 'error') continue;
      for (const ref of delivered.refs) {
        const into = gathering(byRef, ref, outcome.tool);
        if (delivered.kind === 'analysis') {
          into.analyses += 1;
          if (delivered.wholeInput) into.wholeAnalyses += 1;
        } else {
          into.ranges.push(...seenRanges(delivered.ranges, replacementOf(call, replacements)));
          into.selections.push({
            fields: delivered.fields,
            offset: delivered.coverage?.offset ?? 0,
            loaded: delivered.coverage?.loaded ?? countOf(delivered.ranges),
          });
        }
        learn(into, delivered.coverage);
      }
      continue;
    }
    const inserted = insertedFacts(call);
    if (inserted === undefined) continue;
    const into = outcome.ref === null ? newGathering(null, outcome.tool) : gathering(byRef, outcome.ref, outcome.tool);
    if (outcome.ref === null) unstored.push(into);
    into.tool = outcome.tool;
    const shown: RecordRange = [inserted.offset, inserted.offset + inserted.loaded];
    into.ranges.push(...seenRanges([shown], replacementOf(call, replacements)));
    learn(into, inserted);
  }
  return { results: [...byRef.values(), ...unstored].map(finished) };
}

/**
 * Coverage of a tool's own result: from the data reference block that the platform made (its `ref` is the one that
 * was stored for this very call, which no tool can know), or a small result that stands whole in the answer.
 */
function insertedFacts(call: RunCall): Coverage | undefined {
  for (const block of call.outcome.content) {
    if (!('json' in block)) continue;
    const reference = (block.json as { readonly data_reference?: Record<string, unknown> } | null)?.data_reference;
    if (reference !== undefined && call.outcome.ref !== null && reference['ref'] === call.outcome.ref) {
      return coverageOf(reference['coverage']);
    }
  }
  return undefined;
}

/** A result that had been shortened before it was first sent was never seen further than its prefix. */
function seenRanges(ranges: readonly RecordRange[], replacement: Replacement | undefined): readonly RecordRange[] {
  if (replacement === undefined) return ranges;
  let left = replacement.shown;
  return ranges.flatMap(([start, end]): RecordRange[] => {
    const take = Math.min(left, end - start);
    left -= take;
    return take > 0 ? [[start, start + take]] : [];
  });
}

/** The replacement that stood there from the first request on; a later one took away what had been seen already. */
function replacementOf(call: RunCall, replacements: readonly Replacement[]): Replacement | undefined {
  const { toolUseId, content } = call.outcome;
  const candidates = replacements.filter((known) => known.toolUseId === toolUseId && known.turn === call.sentAt);
  if (candidates.length === 0) return undefined;
  const digest = contentDigest(content);
  return candidates.find((known) => known.digest === digest);
}

function gathering(byRef: Map<string, Gathering>, ref: string, tool: string): Gathering {
  const found = byRef.get(ref) ?? newGathering(ref, tool);
  byRef.set(ref, found);
  return found;
}

function newGathering(ref: string | null, tool: string): Gathering {
  return {
    ref,
    tool,
    unit: 'records',
    total: null,
    open: false,
    ranges: [],
    selections: [],
    analyses: 0,
    wholeAnalyses: 0,
    losses: new Set(),
  };
}

/** Reasons that speak of the stored copy rather than of one page of it. */
const lossReasons = new Set(['parse_loss', 'identity_mismatch', 'upstream_partial', 'storage_limit', 'not_stored']);

function learn(into: Gathering, coverage: Coverage | undefined): void {
  if (coverage === undefined) return;
  if (coverage.unit !== 'bytes') into.unit = coverage.unit;
  if (coverage.total !== null) into.total = Math.max(into.total ?? 0, coverage.total);
  else if (coverage.input_complete === null) into.open = true;
  for (const reason of coverage.reasons) if (lossReasons.has(reason)) into.losses.add(reason);
}

function finished(result: Gathering): ResultBasis {
  const ranges = unionOf(result.ranges);
  const seen = countOf(ranges);
  const total = result.total;
  const unread = total === null ? null : Math.max(0, total - seen);
  const whole = unread === 0 || result.wholeAnalyses > 0;
  const complete = total === null && result.wholeAnalyses === 0 ? null : whole && result.losses.size === 0;
  return {
    ref: result.ref,
    tool: result.tool,
    unit: result.unit,
    seen,
    ranges,
    total,
    unread,
    selections: result.selections,
    analyses: result.analyses,
    wholeAnalyses: result.wholeAnalyses,
    complete: result.open ? null : complete,
    reasons: [...(unread !== null && unread > 0 && result.wholeAnalyses === 0 ? ['selection'] : []), ...result.losses],
  };
}
