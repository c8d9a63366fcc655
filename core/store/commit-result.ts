import { claimVersion } from '../catalogue/versions.ts';
import type { NormalisedResult } from '../content/normalise.ts';
import { makeReference } from '../reference/reference.ts';
import { gateOf } from '../tool/gate.ts';
import type { KeepPorts, KeepRequest } from './keeping.ts';
import { type ResultIndex, resultFormat } from './result-index.ts';
import { checkRoom } from './room-check.ts';
import { type ScannedResult, wholeCoverage } from './scan-facts.ts';

type Source =
  | { readonly kind: 'answer'; readonly body: NormalisedResult }
  | {
      readonly kind: 'wrapper';
      readonly etag: string;
      readonly bytes: number;
      readonly fileName?: string;
      readonly leftOut?: readonly string[];
    };

/**
 * Makes a result exist: body (unless a wrapper has written it), then the index, the catalogue row, the grant. Whatever
 * fails on the way, nothing written so far points at something that is not there. Throws what the stores throw, and
 * before anything is written `Forbidden` (an erased owner) and `QuotaExceeded`.
 */
export async function commitResult(
  request: KeepRequest,
  summary: ScannedResult,
  ports: KeepPorts,
  source: Source,
): Promise<ResultIndex> {
  const { run, tool, turn, index: number, resultId } = request;
  const address = { owner: run.owner, session: run.session, id: resultId };
  const now = ports.clock.now().toISOString();
  await checkRoom(run, summary.bytes, ports);
  const started = ports.clock.now().getTime();
  const etag = source.kind === 'wrapper' ? source.etag : await putBody(request, source.body, summary, ports);
  const fileName = source.kind === 'wrapper' ? source.fileName : undefined;
  const ref = makeReference(run.session, resultId);
  const call = { owner: run.owner, session: run.session, tool: tool.name, argumentDigest: request.callDigest };
  const until = { ref, availableUntil: request.availableUntil };
  const numbered = await claimVersion(call, request.supersedes, until, ports.catalogue);
  const index: ResultIndex = {
    format: resultFormat,
    ref,
    tool: tool.name,
    toolVersion: tool.version,
    runId: run.runId,
    turn,
    index: number,
    kind: summary.kind,
    path: summary.path,
    unit: summary.unit,
    bytes: summary.bytes,
    sha256: summary.sha256,
    etag,
    records: summary.records,
    otherLists: summary.otherLists,
    parseLoss: summary.parseLoss,
    table: summary.table,
    fields: summary.fields,
    population: tool.population,
    upstream: summary.upstream,
    coverage: wholeCoverage(summary, tool),
    profile: summary.profile,
    chunks: summary.chunks,
    acquiredAt: now,
    availableUntil: request.availableUntil,
    gates: [gateOf(tool, run.roles)],
    derivedFrom: [],
    leftOut: source.kind === 'answer' ? source.body.leftOut : (source.leftOut ?? []),
    ...numbered,
    ...(fileName === undefined ? {} : { fileName }),
  };
  await ports.store.putIndex(address, index);
  await publishResult(request, index, ports);
  ports.telemetry.count('StoredBytes', index.bytes, { tool: tool.name });
  ports.telemetry.count('UploadLatency', ports.clock.now().getTime() - started);
  ports.telemetry.decision('stored', { ref: index.ref, tool: tool.name, bytes: index.bytes, records: index.records });
  return index;
}

/** Catalogue row and grant of a committed result; both are create-only, so this can be repeated. */
export async function publishResult(request: KeepRequest, index: ResultIndex, ports: KeepPorts): Promise<void> {
  const { run, tool } = request;
  await ports.catalogue.add({
    owner: run.owner,
    ref: index.ref,
    status: 'stored',
    tool: tool.name,
    toolVersion: tool.version,
    gates: index.gates,
    runId: run.runId,
    argumentDigest: request.callDigest,
    kind: index.kind,
    path: index.path,
    records: index.records,
    unit: index.unit,
    bytes: index.bytes,
    sha256: index.sha256,
    fields: index.fields.slice(0, 200),
    population: index.population,
    acquiredAt: index.acquiredAt,
    availableUntil: index.availableUntil,
    version: index.version ?? 1,
    supersedes: index.supersedes ?? null,
    derivedFrom: [],
    rolesDigest: run.rolesDigest,
    reusable: tool.reuse !== undefined,
    ...(request.exportId === undefined ? {} : { exportId: request.exportId }),
    ...(index.fileName === undefined ? {} : { fileName: index.fileName }),
  });
  await ports.grants.give(run.runId, { ref: index.ref, via: 'produced', grantedAt: ports.clock.now().toISOString() });
}

async function putBody(
  request: KeepRequest,
  body: NormalisedResult,
  summary: ScannedResult,
  ports: KeepPorts,
): Promise<string> {
  const { run, tool, turn, index, resultId } = request;
  const stored = await ports.store.putBody(
    { owner: run.owner, session: run.session, id: resultId },
    body.body,
    {
      tools: [gateOf(tool, run.roles)],
      runId: run.runId,
      turn,
      index,
      availableUntil: request.availableUntil,
      format: resultFormat,
      contentType: body.contentType,
      sha256: summary.sha256,
    },
    {
      maxBytes: tool.storageMaxBytes ?? ports.settings.storage.maxBytes,
      signal: AbortSignal.timeout(ports.settings.storage.uploadTimeoutMs),
    },
  );
  return stored.etag;
}
