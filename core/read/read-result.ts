import { ClaimcheckError } from '../errors.ts';
import { expired, type GrantCheckPorts, type GrantedResult, openGranted, refusePicture } from '../grant/check-grant.ts';
import type { Run } from '../run/run.ts';
import type { Settings } from '../settings.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { ResultAddress, ResultStore } from '../store/result-store.ts';
import { type ReadAnswer, type ReadVersion, readRoom, readVersion } from './answer.ts';
import { readBytes } from './read-bytes.ts';
import { readIds } from './read-ids.ts';
import { type ReadSource, readRecords } from './read-records.ts';
import { parseSelection, type Selection } from './selection.ts';
import { type BodySource, VerifiedBody } from './verified-body.ts';

export type ReadPorts = Omit<GrantCheckPorts, 'store'> & {
  readonly store: Pick<ResultStore, 'readIndex' | 'readRange' | 'readBody'>;
  readonly settings: Pick<Settings, 'read'>;
};

/**
 * `read_result` (DESIGN 5.8): a selection of one stored version that this run was granted, with coverage. At most
 * `read.maxBytes` of UTF-8, envelope included, and no more than `left`, the bytes that the model request has left
 * (`null`: not known). Throws `BadReference`, `NotFound`, `Expired`, `InvalidInput`, `UnknownField`,
 * `SelectionTooLarge`, `StorageUnavailable`; a failed read never shows content and never another version.
 */
export async function readResult(
  run: Run,
  input: Readonly<Record<string, unknown>>,
  ports: ReadPorts,
  left: number | null = null,
): Promise<ReadAnswer> {
  const { ref, ...selectionInput } = input;
  // Arguments are looked at after the reference: what is not granted is not even told that its arguments are wrong.
  const granted = await openGranted(run, ref, ports);
  refusePicture(granted.index, 'ref');
  return readGranted(granted, parseSelection(selectionInput), ports, left);
}

/** The same for a result that was opened already. */
export async function readGranted(
  granted: GrantedResult,
  selection: Selection,
  ports: Pick<ReadPorts, 'store' | 'settings' | 'tools'>,
  left: number | null = null,
): Promise<ReadAnswer> {
  const { index, entry, address } = granted;
  return readIndexed({ index, address, version: readVersion(entry) }, selection, ports, left);
}

/** One exact version by its commit record; whoever calls this has made sure that it may be read. */
export async function readIndexed(
  stored: { readonly index: ResultIndex; readonly address: ResultAddress; readonly version: ReadVersion },
  selection: Selection,
  ports: Pick<ReadPorts, 'store' | 'settings' | 'tools'>,
  left: number | null,
): Promise<ReadAnswer> {
  const { index, address, version } = stored;
  const body = new VerifiedBody(index, storedBody(ports.store, address, index.etag), () => expired(index));
  return readSelection({ index, body, version }, selection, ports.settings, {
    idField: ports.tools.find(index.tool)?.identity?.field ?? 'id',
    left,
  });
}

/** A selection of any checked body: the one way from a selection to data and coverage. */
export async function readSelection(
  source: ReadSource,
  selection: Selection,
  settings: Pick<Settings, 'read'>,
  options: { readonly idField: string; readonly left: number | null },
): Promise<ReadAnswer> {
  const limits = {
    room: readRoom(settings.read.maxBytes, options.left),
    maxRecords: settings.read.maxRecords,
  };
  if (selection.bytes !== null) return readBytes(source, selection, limits);
  if (selection.ids !== null) return readIds(source, selection, options.idField, limits);
  if (selection.lines === null) return readRecords(source, selection, limits);
  return readRecords(source, linesAsPage(selection, selection.lines, source.index), limits);
}

function linesAsPage(selection: Selection, lines: { first: number; last: number }, index: ResultIndex): Selection {
  if (index.unit !== 'lines') {
    throw new ClaimcheckError(
      'InvalidInput',
      'lines: this result has records, not lines; use offset and limit, or bytes',
    );
  }
  return { ...selection, offset: lines.first - 1, limit: lines.last - lines.first + 1 };
}

function storedBody(store: ReadPorts['store'], address: ResultAddress, etag: string): BodySource {
  return {
    range: (start, end) => store.readRange(address, etag, start, end),
    whole: () => store.readBody(address, etag),
  };
}
