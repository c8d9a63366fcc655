import type { NormalisedResult } from '../content/normalise.ts';
import { ClaimcheckError } from '../errors.ts';
import { isId } from '../reference/reference.ts';
import { scanStream } from '../scan/result-scanner.ts';
import { commitResult } from './commit-result.ts';
import type { KeepPorts, KeepRequest, Kept } from './keeping.ts';
import { replacedContent, storedResult, unstoredContent } from './kept-content.ts';
import { bodyPieces, refusalCode, scanOptions } from './scan-facts.ts';

interface FoundBody {
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
    const body = await ports.store.readBody(address, found.etag);
    if (body === undefined) throw new ClaimcheckError('StorageUnavailable', 'storage: the stored copy is gone');
    const summary = await scanStream(body, options);
    if (summary.bytes !== found.bytes) {
      throw new ClaimcheckError('StorageUnavailable', 'storage: the stored copy came short');
    }
    const index = await commitResult(request, summary, ports, { kind: 'wrapper', ...found });
    return storedResult(replacedContent(summary, part, index, { budget, tool }, ports), index, true);
  } catch (error) {
    const code = refusalCode(error, ports.telemetry);
    const summary = await scanStream(bodyPieces(part.body), options);
    const totalBytes = found?.bytes ?? reportedBytes(request.reported);
    const content = unstoredContent(summary, part, { budget, code, totalBytes, tool });
    return { status: 'success', content, stored: null, oversize: true, warnings: [`not stored: ${code}`] };
  }
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
  return { etag: head.etag, bytes: head.bytes, ...(fileName === undefined ? {} : { fileName }) };
}

function reportedBytes(reported: unknown): number | null {
  const bytes = (reported as { readonly bytes?: unknown } | null)?.bytes;
  return typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null;
}
