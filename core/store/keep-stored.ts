import { type NormalisedResult, normaliseResult } from '../content/normalise.ts';
import { ClaimcheckError } from '../errors.ts';
import { isId } from '../reference/reference.ts';
import { commitResult, publishResult } from './commit-result.ts';
import type { KeepPorts, KeepRequest, Kept } from './keeping.ts';
import { replacedContent, storedResult, unstoredContent } from './kept-content.ts';
import type { ResultAddress } from './result-store.ts';
import { bodyPieces, refusalCode, scanOptions, scanResult } from './scan-facts.ts';

interface FoundBody {
  /** What the object promises; never later than what the platform promises now. */
  readonly availableUntil: string;
  readonly etag: string;
  readonly bytes: number;
  readonly fileName?: string;
}

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
  const { tool, run, resultId } = request;
  const options = scanOptions(budget, ports.settings);
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

async function openBody(address: ResultAddress, etag: string, ports: KeepPorts): Promise<AsyncIterable<Uint8Array>> {
  const body = await ports.store.readBody(address, etag);
  if (body === undefined) throw new ClaimcheckError('StorageUnavailable', 'storage: the stored copy is gone');
  return body;
}

/** Looks at the object that a wrapper names; undefined unless it was made for this run, turn, index and tool. */
async function confirmedBody(request: KeepRequest, ports: KeepPorts): Promise<FoundBody | undefined> {
  const { reported, tool, run, turn, index, resultId } = request;
  const { id } = (typeof reported === 'object' && reported !== null ? reported : {}) as { readonly id?: unknown };
  if (!isId(id) || id !== resultId) {
    ports.telemetry.decision('stored_refused', { reason: 'another id than the claimed one' });
    return undefined;
  }
  const head = await ports.store.headBody({ owner: run.owner, session: run.session, id });
  if (head === undefined) {
    ports.telemetry.decision('stored_refused', { reason: 'no such object' });
    return undefined;
  }
  const made = head.metadata;
  const same =
    made.runId === run.runId &&
    made.turn === turn &&
    made.index === index &&
    made.tools.length === 1 &&
    made.tools[0] === tool.name;
  if (!same) {
    ports.telemetry.decision('stored_refused', { reason: 'made by another call' });
    return undefined;
  }
  const { fileName } = made;
  const availableUntil = earlier(made.availableUntil, request.availableUntil);
  return { etag: head.etag, bytes: head.bytes, availableUntil, ...(fileName === undefined ? {} : { fileName }) };
}

/** A date that cannot be read promises nothing. */
function earlier(promised: string, now: string): string {
  return Date.parse(promised) < Date.parse(now) ? new Date(promised).toISOString() : now;
}

function reportedBytes(reported: unknown): number | null {
  const bytes = (reported as { readonly bytes?: unknown } | null)?.bytes;
  return typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null;
}
