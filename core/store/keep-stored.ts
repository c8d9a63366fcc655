import { type NormalisedResult, normaliseResult } from '../content/normalise.ts';
import { ClaimcheckError } from '../errors.ts';
import { keepExport } from '../export/keep-export.ts';
import { commitResult, publishResult } from './commit-result.ts';
import { confirmedBody, type FoundBody, openBody } from './confirmed-body.ts';
import type { KeepPorts, KeepRequest, Kept } from './keeping.ts';
import { replacedContent, storedResult, unstoredContent } from './kept-content.ts';
import { bodyPieces, refusalCode, scanOptions, scanResult } from './scan-facts.ts';

/**
 * A result that a wrapper has written by itself. It counts once the object itself says that it is the one of this very
 * call; then it is scanned where it stands, so that no total or digest of a tool is taken on trust (DESIGN 5.3). What
 * cannot be confirmed is answered as the part that came along, and nothing points at the rest.
 */
export async function keepStored(
  request: KeepRequest,
  part: NormalisedResult,
  budget: number,
  ports: KeepPorts,
): Promise<Kept> {
  if (request.tool.exports === true) return keepExport(request, part, budget, ports);
  const { tool, run, resultId } = request;
  const options = scanOptions(budget, ports.settings, tool);
  let found: FoundBody | undefined;
  try {
    found = await confirmedBody(request, ports);
    if (found === undefined) throw new ClaimcheckError('StorageUnavailable', 'storage: the stored copy is not there');
    const address = { owner: run.owner, session: run.session, id: resultId };
    const { etag } = found;
    const open = () => openBody(address, etag, ports);
    const summary = await scanResult(open, options, request);
    if (summary.bytes !== found.bytes) {
      throw new ClaimcheckError('StorageUnavailable', 'storage: the stored copy came short');
    }
    // An earlier attempt may have come this far before its answer was lost.
    const standing = await ports.store.readIndex(address);
    if (standing !== undefined) await publishResult(request, standing, ports);
    const index =
      standing ??
      (await commitResult({ ...request, availableUntil: found.availableUntil }, summary, ports, {
        kind: 'wrapper',
        ...found,
      }));
    return storedResult(replacedContent(summary, part, index, { budget, tool }, ports), index, true);
  } catch (error) {
    const code = refusalCode(error, ports.telemetry);
    const summary = await scanResult(() => bodyPieces(part.body), options, request);
    const totalBytes = found?.bytes ?? reportedBytes(request.reported);
    const content = unstoredContent(summary, part, { budget, code, totalBytes, tool });
    return { status: 'success', content, stored: null, oversize: true, warnings: [`not stored: ${code}`] };
  }
}

/**
 * What an earlier attempt of the same call has stored under its id, though its answer was lost: then nothing is
 * executed again. Undefined when there is nothing, or it cannot be known.
 */
export async function recallResult(request: KeepRequest, ports: KeepPorts): Promise<Kept | undefined> {
  const asked = { ...request, reported: { id: request.resultId } };
  try {
    if ((await confirmedBody(asked, ports)) === undefined) return undefined;
  } catch {
    return undefined;
  }
  const budget = Math.min(request.tool.budgetBytes, ports.settings.insert.maxBytes);
  const kept = await keepStored(asked, normaliseResult(request.result), budget, ports);
  return kept.stored === null ? undefined : kept;
}

function reportedBytes(reported: unknown): number | null {
  const bytes = (reported as { readonly bytes?: unknown } | null)?.bytes;
  return typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null;
}
