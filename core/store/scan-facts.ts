import { previewCoverage } from '../coverage/compute.ts';
import type { Coverage } from '../coverage/coverage.ts';
import { type DeclaredIdentity, declaredIdentity } from '../coverage/declared-identity.ts';
import { ClaimcheckError } from '../errors.ts';
import type { ScanOptions } from '../scan/result-scanner.ts';
import type { ScanSummary } from '../scan/scan-summary.ts';
import type { Settings } from '../settings.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { ToolDefinition } from '../tool/tool-definition.ts';
import type { KeepRequest } from './keeping.ts';

/** Beside the profile, what a data reference takes: addresses, dates, coverage and names of fields. */
const referenceBytes = 2_048;

/** Bytes that a profile may take in the data reference of this tool's results; 0: none is shown. */
export function profileRoom(
  { summary }: Pick<ToolDefinition, 'summary'>,
  { insert }: Pick<Settings, 'insert'>,
): number {
  return summary === 'records' ? 0 : insert.profileBytes;
}

/** Half of the budget is kept for the reference at most: a preview is worth more than a long profile. */
export function scanOptions(budget: number, settings: Settings, tool: Pick<ToolDefinition, 'summary'>): ScanOptions {
  const { insert } = settings;
  const reserve = Math.min(profileRoom(tool, settings) + referenceBytes, Math.floor(budget / 2));
  return { previewBytes: Math.max(0, budget - reserve), profile: true, profileBytes: insert.profileBytes };
}

/** A scan, and how the ids in it compare with those that the tool was asked for. */
export interface ScannedResult extends ScanSummary {
  readonly identity: DeclaredIdentity | null;
}

/** One pass over the body; a second one only for tools that declare which ids they are asked for (DESIGN 5.4). */
export async function scanResult(
  open: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>,
  options: ScanOptions,
  { tool, input }: Pick<KeepRequest, 'tool' | 'input'>,
): Promise<ScannedResult> {
  // A function that starts for a result which fits needs no scanner: with its kernel it is a tenth of what there is to load.
  const { scanStream } = await import('../scan/result-scanner.ts');
  const summary = await scanStream(await open(), options);
  const asked = tool.identity?.expectedFrom !== undefined;
  const identity = asked ? await declaredIdentity(tool.identity, input, await open(), summary) : null;
  return { ...summary, identity };
}

/** Coverage of what a model sees: the preview of a scan, or everything. */
export function shownCoverage(
  summary: ScannedResult,
  tool: ToolDefinition,
  storage: 'stored' | 'not_stored' | 'too_large',
  shown: { readonly shown: number; readonly complete: boolean; readonly shortened: boolean } = summary.preview,
): Coverage {
  return previewCoverage({
    unit: summary.unit,
    total: summary.records,
    population: tool.population,
    parseLoss: summary.parseLoss,
    upstream: summary.upstream,
    identity: summary.identity?.reconciled ?? null,
    ...(summary.identity?.requested == null ? {} : { requested: summary.identity.requested }),
    storage,
    shown: shown.shown,
    complete: shown.complete,
    shortened: shown.shortened,
  });
}

export function wholeCoverage(summary: ScannedResult, tool: ToolDefinition): Coverage {
  return shownCoverage(summary, tool, 'stored', { shown: summary.records, complete: true, shortened: false });
}

/** The code of a refusal, counted under its metric; anything that is no error of ours is a failure of the hook. */
export function refusalCode(error: unknown, telemetry: Telemetry): string {
  const code = error instanceof ClaimcheckError ? error.code : 'HookFailure';
  if (code === 'HookFailure') telemetry.count('HookFailure');
  telemetry.decision('not_stored', { code, error: error instanceof Error ? error.name : typeof error });
  return code;
}

/** A body in memory as a stream. */
export async function* bodyPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const step = 256 * 1024;
  for (let start = 0; start < bytes.length; start += step) yield bytes.subarray(start, start + step);
}
