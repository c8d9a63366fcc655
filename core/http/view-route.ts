import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Viewer } from '../chat/current-view.ts';
import { type DownloadPorts, mayOpen } from '../download/download.ts';
import { ClaimcheckError } from '../errors.ts';
import type { Identity } from '../identity/identity.ts';
import { makeReference } from '../reference/reference.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { ResultStore } from '../store/result-store.ts';
import { firstRecords } from '../view/first-records.ts';
import { storedCopyNotes } from '../view/stored-copy-notes.ts';
import { catalogRow } from './catalog-routes.ts';
import { type HttpResponse, json } from './response.ts';
import type { ViewResponse } from './responses.ts';

export interface ViewRoutePorts {
  /** The same gate as a download's, over the same look at the object. */
  readonly gate: Pick<DownloadPorts, 'objects' | 'tools' | 'telemetry' | 'clock' | 'roles'>;
  readonly store: Pick<ResultStore, 'readIndex' | 'readRange'>;
  readonly catalogue: Pick<Catalogue, 'find' | 'page'>;
  readonly viewer: (identity: Identity) => Promise<Viewer>;
  readonly publicBaseUrl: string;
}

/**
 * `GET /results/{session}/{id}/view`: facts, first records and profile of one stored result, through the same gate as a
 * download. Throws what the gate throws; a body without its commit record does not exist (DESIGN 6).
 */
export async function showView(
  session: string,
  id: string,
  identity: Identity,
  ports: ViewRoutePorts,
): Promise<HttpResponse> {
  await mayOpen(identity, { kind: 'result', session, id }, ports.gate);
  const address = { owner: identity.owner, session, id };
  const index = await ports.store.readIndex(address);
  if (index === undefined) throw new ClaimcheckError('NotFound', 'Not found.');
  const [viewer, entry, first] = await Promise.all([
    ports.viewer(identity),
    ports.catalogue.find(identity.owner, makeReference(session, id)),
    index.pictureType === undefined
      ? firstRecords(index, (start, end) => ports.store.readRange(address, index.etag, start, end))
      : { table: null, text: null },
  ]);
  const row = catalogRow(entry ?? entryOf(index, identity), viewer, ports.publicBaseUrl);
  const answer: ViewResponse = {
    ...row,
    table: first.table,
    text: first.text,
    profile: index.profile,
    notes: storedCopyNotes(index),
  };
  return json(200, answer);
}

/** The commit record alone, for a result whose catalogue row has not been written (yet). */
function entryOf(index: ResultIndex, identity: Identity): Parameters<typeof catalogRow>[0] {
  return {
    ...index,
    owner: identity.owner,
    status: 'stored',
    argumentDigest: '',
    version: 1,
    supersedes: null,
    rolesDigest: '',
    reusable: false,
  };
}
