import type { ContentBlock } from '../content/block.ts';
import type { NormalisedResult } from '../content/normalise.ts';
import { ClaimcheckError } from '../errors.ts';
import { exportAddress } from '../http/links.ts';
import type { JsonValue } from '../json.ts';
import { commitResult, publishResult } from '../store/commit-result.ts';
import { confirmedBody, madeByThisCall, openBody } from '../store/confirmed-body.ts';
import { blockBytes } from '../store/content-size.ts';
import { dataReference, within } from '../store/data-reference.ts';
import type { KeepPorts, KeepRequest, Kept } from '../store/keeping.ts';
import { storedResult } from '../store/kept-content.ts';
import type { ResultIndex } from '../store/result-index.ts';
import {
  bodyPieces,
  refusalCode,
  type ScannedResult,
  scanOptions,
  scanResult,
  shownCoverage,
} from '../store/scan-facts.ts';
import { elements } from '../view/json-members.ts';
import { exportWarnings, listExportText } from './list-export.ts';

/** What a list tool alone can know, as it says it beside `stored`; everything else is read off the stored copy. */
interface ToldFacts {
  readonly total: number | null;
  readonly longCells: number;
}

/**
 * A list that a tool has written by itself, twice: it counts once both objects say that they are of this very call.
 * The typed copy is scanned where it stands, so count, profile and inline rows are those of the stored bytes; from the
 * tool come only the source's total and the number of long cells. The answer is the payload of DESIGN 5.6 and the data
 * reference behind it. What cannot be confirmed is answered as the part that came along, and says that nothing is kept.
 */
export async function keepExport(
  request: KeepRequest,
  part: NormalisedResult,
  budget: number,
  ports: KeepPorts,
): Promise<Kept> {
  const { run, resultId } = request;
  const told = toldFacts(request.reported);
  const options = scanOptions(budget, ports.settings, request.tool);
  try {
    const found = await confirmedBody(request, ports);
    if (found === undefined) throw new ClaimcheckError('StorageUnavailable', 'storage: the typed copy is not there');
    await confirmCsv(request, ports);
    const address = { owner: run.owner, session: run.session, id: resultId };
    const open = () => openBody(address, found.etag, ports);
    const scanned = await scanResult(open, { ...options, lines: true }, request);
    if (scanned.bytes !== found.bytes) {
      throw new ClaimcheckError('StorageUnavailable', 'storage: the typed copy came short');
    }
    const summary = withTotal(scanned, told.total);
    const { availableUntil } = found;
    const exported: KeepRequest = { ...request, availableUntil, exportId: resultId };
    const standing = await ports.store.readIndex(address);
    if (standing !== undefined) await publishResult(exported, standing, ports);
    const index = standing ?? (await commitResult(exported, summary, ports, { kind: 'wrapper', ...found }));
    const { content, whole } = keptContent(summary, index, { request, told, budget }, ports);
    return storedResult(content, index, !whole);
  } catch (error) {
    const code = refusalCode(error, ports.telemetry);
    const content = await unkeptContent(request, part, { told, budget, code }, ports);
    return { status: 'success', content, stored: null, oversize: true, warnings: [`not stored: ${code}`] };
  }
}

async function confirmCsv(request: KeepRequest, { exports, telemetry }: KeepPorts): Promise<void> {
  const head = await exports?.headCsv({ owner: request.run.owner, id: request.resultId });
  if (head !== undefined && madeByThisCall(head.metadata, request)) return;
  telemetry.decision('stored_refused', { reason: head === undefined ? 'no such export' : 'made by another call' });
  throw new ClaimcheckError('StorageUnavailable', 'storage: the CSV is not there');
}

function keptContent(
  summary: ScannedResult,
  index: ResultIndex,
  facts: { readonly request: KeepRequest; readonly told: ToldFacts; readonly budget: number },
  ports: KeepPorts,
): { readonly content: readonly ContentBlock[]; readonly whole: boolean } {
  const { request, told, budget } = facts;
  const rows = summary.preview.shown === 0 ? [] : summary.preview.text.split('\n').slice(0, summary.preview.shown);
  const reference = (shown: number): ContentBlock => {
    const complete = shown === summary.records;
    const coverage = shownCoverage(summary, request.tool, 'stored', { shown, complete, shortened: false });
    // The profile stands in the payload already.
    const unprofiled = { ...index, profile: null };
    return dataReference(unprofiled, { baseUrl: ports.baseUrl, coverage, maxBytes: budget, profileBytes: 0 });
  };
  const { profileBytes } = ports.settings.insert;
  for (const bytes of [profileBytes, Math.floor(profileBytes / 4), 0]) {
    const room = budget - Math.max(blockBytes(reference(0)), blockBytes(reference(summary.records)));
    const { text, rowsInline } = listExportText(
      {
        download_url: exportAddress(request.resultId, ports.baseUrl),
        ref: index.ref,
        total_matching: summary.upstream?.total ?? null,
        rows_exported: index.records,
        available_until: index.availableUntil,
        warnings: exportWarnings(index.records, told.longCells),
        profile: index.profile === null || bytes === 0 ? null : within(index.profile, bytes),
        rows: index.records,
      },
      rows,
      room,
    );
    if (Buffer.byteLength(text, 'utf8') <= room) {
      return { content: [{ text }, reference(rowsInline)], whole: rowsInline === index.records };
    }
  }
  return { content: [reference(0)], whole: false };
}

/** The rows that came along, as many as fit, with the total that is known, and nothing to open. */
async function unkeptContent(
  request: KeepRequest,
  part: NormalisedResult,
  facts: { readonly told: ToldFacts; readonly budget: number; readonly code: string },
  ports: KeepPorts,
): Promise<readonly ContentBlock[]> {
  const { told, budget, code } = facts;
  const summary = await scanResult(
    () => bodyPieces(part.body),
    scanOptions(budget, ports.settings, request.tool),
    request,
  );
  const rows = [...elements(Buffer.from(part.body).toString('utf8').trim().slice(1))];
  const coverage = {
    ...shownCoverage(withTotal(summary, told.total), request.tool, 'not_stored'),
    next_offset: null,
    input_complete: false,
  };
  const tail: ContentBlock = { json: { coverage: coverage as unknown as JsonValue } };
  const { text } = listExportText(
    {
      download_url: null,
      ref: null,
      total_matching: told.total,
      rows_exported: 0,
      available_until: null,
      warnings: [`nothing was kept (${code}): there is no file and no reference, and no more rows can be read later`],
      profile: null,
      // Nobody knows how many more there would have been: what is shown is never called the whole.
      rows: Math.max(told.total ?? 0, rows.length + 1),
    },
    rows,
    budget - blockBytes(tail),
  );
  return [{ text }, tail];
}

/** The source's total is what makes the copy a part, as a tool's own paging does. */
function withTotal(summary: ScannedResult, total: number | null): ScannedResult {
  // A total below what stands there cannot be one.
  if (total === null || total < summary.records) return { ...summary, upstream: null };
  const upstream = { partial: total > summary.records, total, evidence: 'total_matching' };
  return { ...summary, upstream };
}

function toldFacts(reported: unknown): ToldFacts {
  const { total, longCells } = ((reported as { readonly export?: unknown } | null)?.export ?? {}) as {
    readonly total?: unknown;
    readonly longCells?: unknown;
  };
  return { total: wholeNumber(total), longCells: wholeNumber(longCells) ?? 0 };
}

function wholeNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
