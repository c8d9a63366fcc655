import { declaredIdentity } from '../coverage/declared-identity.ts';
import { ClaimcheckError } from '../errors.ts';
import { ResultScanner } from '../scan/result-scanner.ts';
import { commitResult } from '../store/commit-result.ts';
import type { KeepPorts, KeepRequest, Kept } from '../store/keeping.ts';
import { oversizeError, replacedContent, storedResult, unstoredContent } from '../store/kept-content.ts';
import { resultFormat } from '../store/result-index.ts';
import { checkRoom } from '../store/room-check.ts';
import { refusalCode, type ScannedResult, scanOptions } from '../store/scan-facts.ts';
import { gateOf } from '../tool/gate.ts';
import { inTime } from './in-time.ts';
import { ScannedWalk } from './scanned-walk.ts';
import type { ToolSource } from './tool-source.ts';

/**
 * Stores a result that does not fit and answers its preview, totals, profile and reference: one walk that is scanned
 * while it is uploaded, so that what is said and what is stored are of the same bytes. Storage trouble is never raised:
 * then the rest is counted where that is possible, and the answer says that it was not kept. What the tool itself
 * throws on the way is thrown. The store bounds its uploads by itself (`pooledStore`); what is asked of it before and
 * after has `storage.uploadTimeoutMs` each.
 */
export async function keepSource(
  request: Omit<KeepRequest, 'result'>,
  source: ToolSource,
  ports: KeepPorts,
): Promise<Kept> {
  const { run, tool, turn, index, resultId } = request;
  const { settings, store } = ports;
  const budget = Math.min(tool.budgetBytes, settings.insert.maxBytes);
  const maxBytes = tool.storageMaxBytes ?? settings.storage.maxBytes;
  const { leastBytes = 0 } = source;
  const scanner = new ResultScanner({
    ...scanOptions(budget, settings, tool),
    digests: () => store.digests?.(leastBytes),
  });
  const walk = new ScannedWalk(source.pieces, scanner, { maxBytes });
  const address = { owner: run.owner, session: run.session, id: resultId };
  const { uploadTimeoutMs: timeoutMs } = settings.storage;
  const started = Date.now();
  let summary: ScannedResult | undefined;
  try {
    // Asked before anything is written; how much there will be is not known yet.
    await inTime(timeoutMs, () => checkRoom(run, 0, ports));
    const body = await store.putBody(
      address,
      walk.pieces(),
      {
        tools: [gateOf(tool, run.roles)],
        runId: run.runId,
        turn,
        index,
        availableUntil: request.availableUntil,
        format: resultFormat,
        contentType: source.contentType,
      },
      { maxBytes, digests: (piece) => walk.digestsOf(piece) },
    );
    await walk.digested();
    const scanned = scanner.end();
    summary = { ...scanned, identity: null };
    if (body.bytes !== scanned.bytes) throw new ClaimcheckError('StorageUnavailable', 'storage: the copy came short');
    if (tool.identity?.expectedFrom !== undefined) {
      const identity = await inTime(timeoutMs, async () => {
        const stored = await store.readBody(address, body.etag);
        if (stored === undefined) throw new ClaimcheckError('StorageUnavailable', 'storage: the stored copy is gone');
        return declaredIdentity(tool.identity, request.input, stored, scanned);
      });
      summary = { ...scanned, identity };
    }
    const made = summary;
    const committed = await inTime(timeoutMs, () =>
      commitResult({ ...request, result: noResult }, made, ports, {
        kind: 'wrapper',
        etag: body.etag,
        bytes: body.bytes,
        leftOut: source.around.leftOut,
      }),
    );
    return storedResult(replacedContent(summary, source.around, committed, { budget, tool }, ports), committed, true);
  } catch (error) {
    rethrow(walk);
    // An upload that hung has used its time up: what it did not read is counted in a time of its own.
    const until = source.inMemory ? Number.POSITIVE_INFINITY : Math.max(started + timeoutMs, Date.now() + countMs);
    const whole = await count(walk, until);
    rethrow(walk);
    if (whole === 'oversize') {
      ports.telemetry.count('Truncation', 1, { tool: tool.name, reason: 'storage_limit' });
      return {
        status: 'error',
        content: oversizeError(walk.bytes, maxBytes),
        stored: null,
        oversize: false,
        warnings: ['not stored: OversizeResult'],
      };
    }
    const code = refusalCode(error, ports.telemetry);
    ports.telemetry.count('Truncation', 1, { tool: tool.name, reason: 'not_stored' });
    const facts = { budget, code, totalBytes: walk.ended ? walk.bytes : null, tool };
    const content = unstoredContent(summary ?? { ...scanner.unstored(), identity: null }, source.around, facts);
    return { status: 'success', content, stored: null, oversize: true, warnings: [`not stored: ${code}`] };
  } finally {
    scanner.drop();
  }
}

/** Milliseconds at least for what an upload has not read of a stream: enough to fill the preview, and to count on. */
const countMs = 2_000;

const noResult = { status: 'success', content: [] } as const;

/** A tool that fails on the way has failed, whatever the store did. */
function rethrow({ failure }: ScannedWalk): void {
  if (failure !== undefined) throw failure.error;
}

/** Counts what the upload did not read. */
async function count(walk: ScannedWalk, until: number): Promise<'counted' | 'oversize'> {
  try {
    await walk.drain(until);
    return 'counted';
  } catch (error) {
    if (error instanceof ClaimcheckError && error.code === 'OversizeResult') return 'oversize';
    if (walk.failure !== undefined) return 'counted';
    throw error;
  }
}
