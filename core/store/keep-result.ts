import type { Catalogue } from '../catalogue/catalogue.ts';
import type { ContentBlock, ToolResult } from '../content/block.ts';
import { ClaimcheckError } from '../errors.ts';
import { isId } from '../reference/reference.ts';
import type { Grants, Run } from '../run/run.ts';
import type { ScanSummary } from '../scan/scan-summary.ts';
import type { Settings } from '../settings.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';
import type { ToolDefinition } from '../tool/tool-definition.ts';
import { boundedError } from './bounded-error.ts';
import { commitResult } from './commit-result.ts';
import { contentBytes } from './content-size.ts';
import { oversizeError, unstoredContent, withReference } from './kept-content.ts';
import { isOwnPayload } from './own-payload.ts';
import type { ResultStore } from './result-store.ts';

/** A tool's result as bytes: what is stored, what kind of text it is, and what stays beside it. */
export interface ResultBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** Blocks that are not part of the stored body (media, acknowledgements) and go on to the model after the preview. */
  readonly rest: readonly ContentBlock[];
  /** Said in the commit record, e.g. "1 image". */
  readonly leftOut: readonly string[];
  readonly fileName?: string;
}

export interface ScanOptions {
  readonly previewBytes: number;
  readonly profile: boolean;
  readonly profileBytes: number;
}

export interface KeepPorts {
  readonly store: ResultStore;
  readonly catalogue: Catalogue;
  readonly grants: Grants;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly baseUrl: string;
  readonly normalise: (result: ToolResult) => ResultBody;
  readonly scan: (pieces: AsyncIterable<Uint8Array>, options: ScanOptions) => Promise<ScanSummary>;
}

export interface KeepRequest {
  readonly run: Run;
  readonly turn: number;
  readonly index: number;
  readonly tool: ToolDefinition;
  readonly result: ToolResult;
  /** Claimed under (run, turn, index) before anything was executed or uploaded. */
  readonly resultId: string;
  readonly callDigest: string;
  /** ISO 8601, UTC: promised before the upload. */
  readonly availableUntil: string;
  readonly supersedes: { readonly ref: string; readonly version: number } | null;
  /** What a wrapper says it stored; believed only after a look at the object itself. */
  readonly reported?: unknown;
}

export interface StoredFacts {
  readonly ref: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly records: number;
  readonly unit: 'records' | 'lines';
  readonly availableUntil: string;
}

export interface Kept {
  readonly status: 'success' | 'error';
  readonly content: readonly ContentBlock[];
  /** Null when nothing was stored. */
  readonly stored: StoredFacts | null;
  /** The first block was replaced by a preview. */
  readonly oversize: boolean;
  /** Sentences for operators and developers: no content. */
  readonly warnings: readonly string[];
}

/**
 * What becomes of one tool result (DESIGN 5.7): unchanged, stored with a reference, or stored with a preview. Order:
 * body, index, catalogue, grant, answer. Never raises for a storage problem: then the preview says that the rest was
 * not kept. The content answered stays within the tool's budget, data reference included.
 */
export async function keepResult(request: KeepRequest, ports: KeepPorts): Promise<Kept> {
  const { tool, result } = request;
  const budget = Math.min(tool.budgetBytes, ports.settings.insert.maxBytes);
  if (tool.builtin === true) return unchanged(result.status, result.content);
  if (result.status === 'error') return unchanged('error', boundedError(result.content, budget));
  if (await isOwnPayload(request.run, result.content, budget, ports.grants)) {
    return unchanged('success', result.content);
  }
  const reported = await confirmedBody(request, ports);
  if (reported !== undefined) return keepStored(request, reported, budget, ports);
  const body = ports.normalise(result);
  if (request.reported !== undefined) {
    // The wrapper's own copy cannot be confirmed: what it sent along is a part, and nothing points at the rest.
    const summary = await ports.scan(pieces(body.bytes), scanOptions(budget, ports));
    const kept = unstoredContent(summary, body, budget, 'StorageUnavailable', reportedBytes(request.reported));
    return { status: 'success', content: kept, stored: null, oversize: true, warnings: ['stored copy not confirmed'] };
  }
  if (body.bytes.length <= ports.settings.hook.floorBytes) return unchanged('success', result.content);
  return keepAnswer(request, body, budget, ports);
}

async function keepAnswer(request: KeepRequest, body: ResultBody, budget: number, ports: KeepPorts): Promise<Kept> {
  const maxBytes = request.tool.storageMaxBytes ?? ports.settings.storage.maxBytes;
  if (body.bytes.length > maxBytes) {
    ports.telemetry.count('Truncation', 1, { tool: request.tool.name, reason: 'storage_limit' });
    return unchanged('error', oversizeError(body.bytes.length, maxBytes));
  }
  const whole = contentBytes(request.result.content);
  const inline = whole <= budget;
  const summary = await ports.scan(
    pieces(body.bytes),
    inline ? { ...scanOptions(budget, ports), previewBytes: body.bytes.length } : scanOptions(budget, ports),
  );
  try {
    const index = await commitResult(request, summary, ports, { kind: 'answer', body });
    if (inline) {
      const untouched = withReference(request.result.content, index, summary.coverage, budget, ports);
      if (untouched !== undefined) return stored(untouched, index, false);
    }
    const preview = inline ? await ports.scan(pieces(body.bytes), scanOptions(budget, ports)) : summary;
    return stored(replaced(preview, body.rest, index, budget, request.result.content, ports), index, true);
  } catch (error) {
    const code = refusal(error, ports);
    if (inline) return { ...unchanged('success', request.result.content), warnings: [`not stored: ${code}`] };
    const content = unstoredContent(summary, body, budget, code, body.bytes.length);
    return { status: 'success', content, stored: null, oversize: true, warnings: [`not stored: ${code}`] };
  }
}

/** A wrapper's body stands in the store: scan it there, so that no total or digest of a tool is taken on trust. */
async function keepStored(
  request: KeepRequest,
  found: { readonly etag: string; readonly bytes: number; readonly fileName?: string },
  budget: number,
  ports: KeepPorts,
): Promise<Kept> {
  const rest = ports.normalise(request.result).rest;
  const address = { owner: request.run.owner, session: request.run.session, id: request.resultId };
  try {
    const body = await ports.store.readBody(address, found.etag);
    if (body === undefined) throw new ClaimcheckError('StorageUnavailable', 'storage: the stored copy is gone');
    const summary = await ports.scan(body, scanOptions(budget, ports));
    if (summary.bytes !== found.bytes) {
      throw new ClaimcheckError('StorageUnavailable', 'storage: the stored copy came short');
    }
    const index = await commitResult(request, summary, ports, { kind: 'wrapper', ...found });
    return stored(replaced(summary, rest, index, budget, undefined, ports), index, true);
  } catch (error) {
    const code = refusal(error, ports);
    const part = ports.normalise(request.result);
    const summary = await ports.scan(pieces(part.bytes), scanOptions(budget, ports));
    const content = unstoredContent(summary, part, budget, code, found.bytes);
    return { status: 'success', content, stored: null, oversize: true, warnings: [`not stored: ${code}`] };
  }
}

/** Looks at the object that a wrapper names; undefined unless it is the one of this very call (DESIGN 5.3). */
async function confirmedBody(
  request: KeepRequest,
  ports: KeepPorts,
): Promise<{ readonly etag: string; readonly bytes: number; readonly fileName?: string } | undefined> {
  const { reported, tool, run, turn, index, resultId } = request;
  if (tool.intake !== 'wrapper' || typeof reported !== 'object' || reported === null) return undefined;
  const { id } = reported as { readonly id?: unknown };
  if (!isId(id) || id !== resultId) {
    ports.telemetry.decision('stored_refused', { reason: 'another id than the claimed one' });
    return undefined;
  }
  try {
    const head = await ports.store.headBody({ owner: run.owner, session: run.session, id });
    const made = head?.metadata;
    if (
      head === undefined ||
      made?.runId !== run.runId ||
      made.turn !== turn ||
      made.index !== index ||
      !(made.tools.length === 1 && made.tools[0] === tool.name)
    ) {
      ports.telemetry.decision('stored_refused', { reason: head === undefined ? 'no such object' : 'another call' });
      return undefined;
    }
    return {
      etag: head.etag,
      bytes: head.bytes,
      ...(made.fileName === undefined ? {} : { fileName: made.fileName }),
    };
  } catch (error) {
    refusal(error, ports);
    return undefined;
  }
}

function replaced(
  summary: ScanSummary,
  rest: readonly ContentBlock[],
  index: import('./result-index.ts').ResultIndex,
  budget: number,
  original: readonly ContentBlock[] | undefined,
  ports: KeepPorts,
): readonly ContentBlock[] {
  const preview = summary.preview.text.trim() === '' ? [] : [{ text: summary.preview.text }];
  const content =
    withReference([...preview, ...rest], index, summary.coverage, budget, ports) ??
    withReference(rest, index, summary.coverage, Number.MAX_SAFE_INTEGER, ports, 'smallest');
  // A note longer than the result itself would be no saving (case H026): then the original stays.
  const smaller = original === undefined || contentBytes(content ?? []) < contentBytes(original);
  ports.telemetry.count('ContextBytesSaved', Math.max(0, index.bytes - contentBytes(content ?? [])));
  return smaller ? (content ?? []) : original;
}

function stored(
  content: readonly ContentBlock[],
  index: import('./result-index.ts').ResultIndex,
  oversize: boolean,
): Kept {
  const { ref, bytes, sha256, records, unit, availableUntil } = index;
  return {
    status: 'success',
    content,
    stored: { ref, bytes, sha256, records, unit, availableUntil },
    oversize,
    warnings: index.leftOut.map((what) => `left out of the stored copy: ${what}`),
  };
}

function unchanged(status: 'success' | 'error', content: readonly ContentBlock[]): Kept {
  return { status, content, stored: null, oversize: false, warnings: [] };
}

/** Half of the budget is kept for the reference at most: a preview is worth more than a long profile. */
function scanOptions(budget: number, ports: KeepPorts): ScanOptions {
  const { profileBytes } = ports.settings.insert;
  const reserve = Math.min(profileBytes + 2_048, Math.floor(budget / 2));
  return { previewBytes: budget - reserve, profile: true, profileBytes };
}

function refusal(error: unknown, ports: KeepPorts): string {
  const code = error instanceof ClaimcheckError ? error.code : 'HookFailure';
  if (code === 'QuotaExceeded') ports.telemetry.count('QuotaRefused');
  else if (code === 'HookFailure') ports.telemetry.count('HookFailure');
  else ports.telemetry.count('StorageRefusal');
  ports.telemetry.decision('not_stored', { code, error: error instanceof Error ? error.name : typeof error });
  return code;
}

function reportedBytes(reported: unknown): number | null {
  const bytes = (reported as { readonly bytes?: unknown } | null)?.bytes;
  return typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null;
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const step = 256 * 1024;
  for (let start = 0; start < bytes.length; start += step) yield bytes.subarray(start, start + step);
}
