import type { Catalogue, CatalogueEntry } from '../catalogue/catalogue.ts';
import { openCursor, type SealingSecret, sealCursor } from '../catalogue/cursor.ts';
import { namesWithin, shownName } from '../catalogue/row.ts';
import { opens, type Viewer } from '../chat/current-view.ts';
import type { Identity } from '../identity/identity.ts';
import { exportAddress, resultAddress } from './links.ts';
import type { HttpRequest } from './request.ts';
import { type HttpResponse, json } from './response.ts';
import type { Availability, CatalogResponse, CatalogRow } from './responses.ts';

/** Rows of one page. Each is below 6 KB, so an answer stays far from the gateway's limit. */
const pageSize = 100;

/** Names of fields in a row; the result's own page shows the columns. */
const maxFields = 200;

export interface CatalogRoutePorts {
  readonly catalogue: Pick<Catalogue, 'page' | 'find'>;
  readonly viewer: (identity: Identity) => Promise<Viewer>;
  readonly sealingSecret: () => Promise<SealingSecret>;
  readonly publicBaseUrl: string;
}

/** `GET /catalog?cursor=`: the caller's stored results, newest first, each as today's roles and date leave it. */
export async function showCatalog(
  request: HttpRequest,
  identity: Identity,
  ports: CatalogRoutePorts,
): Promise<HttpResponse> {
  const secret = await ports.sealingSecret();
  const purpose = { owner: identity.owner, list: 'catalog' };
  const cursor = request.query.get('cursor');
  const after = cursor === null ? null : openCursor(secret, purpose, cursor);
  const [viewer, page] = await Promise.all([
    ports.viewer(identity),
    ports.catalogue.page(identity.owner, after, pageSize),
  ]);
  const answer: CatalogResponse = {
    results: page.entries.map((entry) => catalogRow(entry, viewer, ports.publicBaseUrl)),
    next_cursor: page.last === null ? null : sealCursor(secret, purpose, page.last),
  };
  return json(200, answer);
}

/** An entry for its owner. What the gate refuses keeps reference and dates and tells nothing else (DESIGN 7.4). */
export function catalogRow(entry: CatalogueEntry, viewer: Viewer, publicBaseUrl: string): CatalogRow {
  const state = availability(entry, viewer);
  const open = state !== 'not_allowed';
  const picture = entry.pictureType ?? null;
  const linked = state === 'available' && entry.status === 'stored';
  return {
    ref: entry.ref,
    state,
    status: entry.status,
    tool: entry.tool,
    kind: open && picture === null ? entry.kind : null,
    records: open && picture === null ? entry.records : null,
    unit: entry.unit,
    file_name: open ? shownName(entry.fileName) : null,
    picture_type: open ? picture : null,
    bytes: open ? entry.bytes : null,
    sha256: open ? entry.sha256 : null,
    fields: open ? namesWithin(entry.fields, maxFields) : [],
    acquired_at: entry.acquiredAt,
    available_until: entry.availableUntil,
    version: entry.version,
    supersedes: entry.supersedes,
    download_url: linked ? resultAddress(entry.ref, publicBaseUrl) : null,
    export_url: linked && entry.exportId !== undefined ? exportAddress(entry.exportId, publicBaseUrl) : null,
  };
}

/** The gate, then the date. An entry without gates came from no tool that is known, and opens for nobody. */
function availability(entry: CatalogueEntry, viewer: Viewer): Availability {
  if (entry.gates.length === 0 || !opens(entry.gates, viewer)) return 'not_allowed';
  return Date.parse(entry.availableUntil) > viewer.now.getTime() ? 'available' : 'expired';
}
