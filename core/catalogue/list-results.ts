import { ClaimcheckError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Grants, Run } from '../run/run.ts';
import type { Settings } from '../settings.ts';
import { type Clock, systemClock } from '../telemetry/telemetry.ts';
import { passesGates, type ToolCatalogue } from '../tool/tool-definition.ts';
import type { Catalogue, CatalogueEntry } from './catalogue.ts';
import { openCursor, type SealingSecret, sealCursor } from './cursor.ts';
import { catalogueRow } from './row.ts';

export interface ListResultsPorts {
  readonly catalogue: Pick<Catalogue, 'session' | 'find'>;
  readonly grants: Pick<Grants, 'all'>;
  readonly tools: ToolCatalogue;
  readonly settings: Pick<Settings, 'list'>;
  readonly secret: SealingSecret;
  readonly clock?: Clock;
}

export interface ResultList {
  /** The answer as JSON text, at most `list.maxBytes` UTF-8 bytes. */
  readonly text: string;
  readonly shown: number;
  readonly total: number;
  readonly nextCursor: string | null;
}

/**
 * What this run can read, newest first: its session's results and those it was admitted with or handed, as far as
 * the roles recorded at admission pass every gate. Rows that may not be seen are neither shown nor counted, and
 * expired ones are gone. Pages are as many whole rows as fit; the cursor is sealed for this owner and this query.
 * Throws `InvalidInput` for a cursor that was not given out here.
 */
export async function listResults(
  run: Run,
  query: { readonly tool?: string | undefined; readonly cursor?: string | undefined },
  ports: ListResultsPorts,
): Promise<ResultList> {
  const purpose = { owner: run.owner, list: `results:${run.session}:${query.tool ?? ''}` };
  const after =
    query.cursor === undefined || query.cursor === '' ? null : openCursor(ports.secret, purpose, query.cursor);
  const now = (ports.clock ?? systemClock).now().getTime();
  const rows = (await readable(run, ports))
    .filter((entry) => query.tool === undefined || entry.tool === query.tool)
    .filter((entry) => passesGates(ports.tools, entry.gates, run.roles))
    .filter((entry) => Date.parse(entry.availableUntil) > now)
    .sort((a, b) => (position(a) < position(b) ? 1 : -1));
  const left = after === null ? rows : rows.filter((entry) => position(entry) < after);

  const maxBytes = ports.settings.list.maxBytes;
  const shown: JsonObject[] = [];
  let last: CatalogueEntry | undefined;
  for (const entry of left) {
    const next = [...shown, catalogueRow(entry)];
    const cursor = next.length < left.length ? sealCursor(ports.secret, purpose, position(entry)) : null;
    if (Buffer.byteLength(answer(next, rows.length, left.length, cursor)) > maxBytes) break;
    shown.push(next.at(-1) as JsonObject);
    last = entry;
  }
  if (shown.length === 0 && left.length > 0) {
    throw new ClaimcheckError('SelectionTooLarge', `list: one row does not fit into list.maxBytes (${maxBytes})`);
  }
  const nextCursor =
    last !== undefined && shown.length < left.length ? sealCursor(ports.secret, purpose, position(last)) : null;
  return {
    text: answer(shown, rows.length, left.length, nextCursor),
    shown: shown.length,
    total: rows.length,
    nextCursor,
  };
}

async function readable(run: Run, ports: ListResultsPorts): Promise<CatalogueEntry[]> {
  const [session, grants] = await Promise.all([
    ports.catalogue.session(run.owner, run.session),
    ports.grants.all(run.runId),
  ]);
  const known = new Set(session.map((entry) => entry.ref));
  const elsewhere = new Set(
    [...run.admittedReferences, ...grants.map((grant) => grant.ref)].filter((ref) => !known.has(ref)),
  );
  const others = await Promise.all([...elsewhere].map((ref) => ports.catalogue.find(run.owner, ref)));
  return [...session, ...others.filter((entry) => entry !== undefined)];
}

/** Newest first, and no two rows in the same place. */
function position(entry: CatalogueEntry): string {
  return `${entry.acquiredAt}|${entry.ref}`;
}

function answer(rows: readonly JsonObject[], total: number, left: number, cursor: string | null): string {
  return JSON.stringify({
    results: rows,
    shown: rows.length,
    left: left - rows.length,
    total,
    next_cursor: cursor,
    note: 'this is the catalogue, not the content; read_result reads a result, analyze_result computes over it',
  });
}
