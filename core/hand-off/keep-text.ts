import type { Catalogue } from '../catalogue/catalogue.ts';
import { ClaimcheckError } from '../errors.ts';
import { makeReference, newId } from '../reference/reference.ts';
import type { Outcomes } from '../run/outcomes.ts';
import type { Grants, Run } from '../run/run.ts';
import type { Settings } from '../settings.ts';
import { pictureType } from '../store/picture-type.ts';
import { type ResultIndex, resultFormat } from '../store/result-index.ts';
import type { ResultAddress, ResultStore } from '../store/result-store.ts';
import { checkRoom, type RoomCheckPorts } from '../store/room-check.ts';
import { type StreamedText, sourceOf } from './text-source.ts';

export interface KeepTextPorts extends RoomCheckPorts {
  readonly store: Pick<ResultStore, 'putBody' | 'putIndex' | 'readIndex'>;
  readonly catalogue: Pick<Catalogue, 'add' | 'find' | 'usedBytes'>;
  readonly grants: Pick<Grants, 'give'>;
  readonly outcomes: Pick<Outcomes, 'record'>;
  readonly settings: Pick<Settings, 'storage' | 'quota'>;
}

export interface TextToKeep {
  /** Under it the result's id is claimed before anything is written, so a repeat stores nothing twice. */
  readonly key: string;
  readonly turn: number;
  readonly index: number;
  /** What the catalogue says made it: a tool, or `hand-off` for a delegate's text. */
  readonly tool: string;
  /** Bytes for what is no text, such as a picture. */
  readonly text: string | Uint8Array | StreamedText;
  /** Default: JSON or plain text, as it turns out to be. */
  readonly contentType?: string;
  /** Gates of the text: the tool that made it, or those of all its sources (DESIGN 7.4). */
  readonly gates: readonly string[];
  readonly derivedFrom: readonly string[];
  /** It expires no later than the earliest of its sources. ISO 8601, UTC. */
  readonly noLaterThan: readonly string[];
  readonly fileName?: string;
}

/**
 * Stores a text as a result of its own, under the run's owner: body, index, catalogue, grant, in that order. Throws
 * `StorageUnavailable` when it could not be confirmed, and before anything is written what `checkRoom` throws.
 */
export async function keepText(run: Run, request: TextToKeep, ports: KeepTextPorts): Promise<ResultIndex> {
  if (request.gates.length === 0) {
    throw new ClaimcheckError('InvalidInput', 'text: without a gate it would be open to nobody');
  }
  const { outcome } = await ports.outcomes.record(run.runId, request.key, {
    resultId: newId(),
    availableUntil: availableUntil(request, ports),
  });
  const address = { owner: run.owner, session: run.session, id: outcome.resultId };
  const index = (await ports.store.readIndex(address)) ?? (await commit(run, request, address, outcome, ports));
  await publish(run, index, ports);
  return index;
}

async function commit(
  run: Run,
  request: TextToKeep,
  address: ResultAddress,
  claimed: { readonly availableUntil: string },
  ports: KeepTextPorts,
): Promise<ResultIndex> {
  const source = sourceOf(request.text);
  await checkRoom(run, source.bytes, ports);
  const body = await ports.store.putBody(
    address,
    source.body,
    {
      tools: request.gates,
      runId: run.runId,
      turn: request.turn,
      index: request.index,
      availableUntil: claimed.availableUntil,
      format: resultFormat,
      contentType: request.contentType ?? source.contentType(),
      sha256: source.sha256,
      ...(request.fileName === undefined ? {} : { fileName: request.fileName }),
    },
    { maxBytes: ports.settings.storage.maxBytes, signal: AbortSignal.timeout(ports.settings.storage.uploadTimeoutMs) },
  );
  const summary = source.summary();
  const picture = pictureType(request.contentType);
  const index: ResultIndex = {
    format: resultFormat,
    ref: makeReference(address.session, address.id),
    tool: request.tool,
    toolVersion: '1',
    runId: run.runId,
    turn: request.turn,
    index: request.index,
    kind: summary.kind,
    path: summary.path,
    unit: summary.unit,
    bytes: summary.bytes,
    sha256: summary.sha256,
    etag: body.etag,
    records: summary.records,
    otherLists: summary.otherLists,
    // Its bytes are no text that could have been lost.
    parseLoss: picture === undefined ? summary.parseLoss : null,
    table: summary.table,
    fields: summary.fields,
    population: 'finite',
    upstream: null,
    coverage: summary.coverage,
    profile: null,
    chunks: summary.chunks,
    acquiredAt: ports.clock.now().toISOString(),
    availableUntil: claimed.availableUntil,
    gates: request.gates,
    derivedFrom: request.derivedFrom,
    leftOut: [],
    ...(request.fileName === undefined ? {} : { fileName: request.fileName }),
    ...(picture === undefined ? {} : { pictureType: picture }),
  };
  await ports.store.putIndex(address, index);
  return index;
}

/** Catalogue row and grant of a committed text; both are create-only, so an interrupted save is finished by a repeat. */
async function publish(run: Run, index: ResultIndex, ports: KeepTextPorts): Promise<void> {
  await ports.catalogue.add({
    owner: run.owner,
    ref: index.ref,
    status: 'stored',
    tool: index.tool,
    toolVersion: index.toolVersion,
    gates: index.gates,
    runId: run.runId,
    argumentDigest: index.sha256,
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
    version: 1,
    supersedes: null,
    derivedFrom: index.derivedFrom,
    rolesDigest: run.rolesDigest,
    reusable: false,
    ...(index.fileName === undefined ? {} : { fileName: index.fileName }),
    ...(index.pictureType === undefined ? {} : { pictureType: index.pictureType }),
  });
  await ports.grants.give(run.runId, { ref: index.ref, via: 'produced', grantedAt: ports.clock.now().toISOString() });
}

function availableUntil(request: TextToKeep, ports: Pick<KeepTextPorts, 'clock' | 'settings'>): string {
  const own = ports.clock.now().getTime() + ports.settings.storage.retentionDays * 86_400_000;
  return new Date(Math.min(own, ...request.noLaterThan.map((date) => Date.parse(date)))).toISOString();
}
