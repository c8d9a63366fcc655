import type { Coverage } from '../../../core/coverage/coverage.ts';

/** The modules as one build of the product has them. */
export interface Build {
  readonly compute: typeof import('../../../core/coverage/compute.ts');
  readonly identity: typeof import('../../../core/coverage/identity.ts');
  readonly declared: typeof import('../../../core/coverage/declared-identity.ts');
  readonly scanner: typeof import('../../../core/scan/result-scanner.ts');
}

export interface CompletenessCheck {
  readonly name: string;
  /** Does the build disclose what is missing? */
  readonly holds: (build: Build) => Promise<boolean> | boolean;
}

const ids = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `id-${from + index}`);
const rows = (list: readonly string[]): string =>
  list.map((id) => JSON.stringify({ id, note: 'x'.repeat(20) })).join(',');
const has = (coverage: Coverage, reason: string): boolean => (coverage.reasons as readonly string[]).includes(reason);

async function ofTool(build: Build, list: readonly string[], asked: readonly string[]): Promise<Coverage> {
  const body = Buffer.from(`[${rows(list)}]`, 'utf8');
  const scanned = build.scanner.scanBytes(body, { previewBytes: body.length });
  const found = await build.declared.declaredIdentity(
    { field: 'id', expectedFrom: 'ids' },
    { ids: asked },
    [body],
    scanned,
  );
  return build.compute.previewCoverage({
    unit: scanned.unit,
    total: scanned.records,
    shown: scanned.preview.shown,
    complete: scanned.preview.complete,
    parseLoss: scanned.parseLoss,
    upstream: scanned.upstream,
    identity: found?.reconciled ?? null,
    ...(found === null || found.requested === null ? {} : { requested: found.requested }),
  });
}

/** Eight ways to be incomplete, the decisive record at the tail each time. */
export const completenessChecks: readonly CompletenessCheck[] = [
  {
    name: '65 requested, 60 loaded: the last 5 are named as missing, with the reason',
    holds: async (build) => {
      const coverage = await ofTool(build, ids(0, 60), ids(0, 65));
      const { requested, loaded, missing_ids: missing } = coverage;
      return (
        requested === 65 &&
        loaded === 60 &&
        missing?.join() === ids(60, 65).join() &&
        has(coverage, 'identity_mismatch') &&
        !coverage.selection_complete &&
        coverage.input_complete === false
      );
    },
  },
  {
    name: 'the last record is cut by bytes: byte_complete is false',
    holds: (build) => {
      const coverage = build.compute.readCoverage({
        unit: 'records',
        total: 10,
        offset: 0,
        limit: null,
        delivered: 10,
        cut: true,
      });
      return !coverage.byte_complete && has(coverage, 'byte_limit') && !coverage.selection_complete;
    },
  },
  {
    name: 'the last line is malformed: filtered_count, and a gap between asked and loaded',
    holds: (build) => {
      const lines = `${ids(0, 99)
        .map((id) => JSON.stringify({ id }))
        .join('\n')}\n{"id":"id-99","broken`;
      const { coverage } = build.scanner.scanBytes(Buffer.from(lines, 'utf8'), { previewBytes: 100_000 });
      return (
        coverage.filtered_count === 1 &&
        (coverage.requested ?? 0) - coverage.loaded === 1 &&
        has(coverage, 'parse_loss') &&
        coverage.input_complete === false
      );
    },
  },
  {
    name: 'as many records as ids, the last one a duplicate: identity_mismatch',
    holds: async (build) => {
      const coverage = await ofTool(build, [...ids(0, 4), 'id-0'], ids(0, 5));
      return (
        coverage.requested === coverage.loaded &&
        has(coverage, 'identity_mismatch') &&
        coverage.duplicate_ids?.join() === 'id-0' &&
        coverage.missing_ids?.join() === 'id-4' &&
        coverage.input_complete === false
      );
    },
  },
  {
    name: 'the tool says at its end that there is more: 25 stored rows are not all',
    holds: (build) => {
      const body = Buffer.from(`{"items":[${rows(ids(0, 25))}],"count":120,"has_more":true}`, 'utf8');
      const { coverage } = build.scanner.scanBytes(body, { previewBytes: body.length });
      return has(coverage, 'upstream_partial') && coverage.input_complete === false && coverage.upstream_total === 120;
    },
  },
  {
    name: 'the preview ends before the last records: where to go on, and that it is no whole',
    holds: (build) => {
      const { coverage } = build.scanner.scanBytes(Buffer.from(`[${rows(ids(0, 1000))}]`, 'utf8'), {
        previewBytes: 2000,
      });
      return (
        coverage.total === 1000 &&
        coverage.loaded < 1000 &&
        coverage.next_offset === coverage.loaded &&
        has(coverage, 'byte_limit') &&
        coverage.input_complete === false
      );
    },
  },
  {
    name: 'the store did not keep the rest: not_stored',
    holds: (build) => {
      const coverage = build.compute.notStored({ unit: 'records', total: 500, shown: 20, complete: false });
      return has(coverage, 'not_stored') && !coverage.selection_complete && coverage.input_complete === false;
    },
  },
  {
    name: '50 asked for, the cap on entries stops at 20 of 120: entry_limit and the next offset',
    holds: (build) => {
      const coverage = build.compute.readCoverage({
        unit: 'records',
        total: 120,
        offset: 0,
        limit: 50,
        delivered: 20,
        stoppedBy: 'entry_limit',
      });
      return (
        coverage.requested === 50 &&
        coverage.next_offset === 20 &&
        has(coverage, 'entry_limit') &&
        !coverage.selection_complete
      );
    },
  },
];
