import { searchExecuted } from '../coverage/open-population.ts';
import type { JsonObject } from '../json.ts';
import type { CatalogueEntry } from './catalogue.ts';

/** Names beyond this many are counted, not listed: a catalogue row tells the shape, a read tells the rest. */
const maxFields = 40;
/** UTF-8 bytes of JSON that the names take, and that a file's name takes: a tool writes both. */
const maxNamesBytes = 4 * 1024;
const maxFileNameBytes = 512;

/** The first names that fit, whole ones: one result with absurd names must not take the place of all others. */
export function namesWithin(names: readonly string[], most: number): readonly string[] {
  let bytes = 2;
  const end = names.slice(0, most).findIndex((name) => {
    bytes += Buffer.byteLength(JSON.stringify(name), 'utf8') + 1;
    return bytes > maxNamesBytes;
  });
  return names.slice(0, end < 0 ? most : end);
}

/** A file's name that takes no more than its room; null for none and for a longer one. */
export function shownName(fileName: string | undefined): string | null {
  return fileName !== undefined && Buffer.byteLength(fileName, 'utf8') <= maxFileNameBytes ? fileName : null;
}

/** What is in it: of a picture no lines or records are told, since nobody can read them. */
function shape({ pictureType, kind, path, unit, records }: CatalogueEntry): JsonObject {
  if (pictureType !== undefined) return { kind: 'picture', picture_type: pictureType };
  return { kind, ...(path ? { path } : {}), [unit]: records };
}

/**
 * One catalogue row as a reader sees it: existence, shape, dates and versions; never content (DESIGN 5.8). For an
 * open population no total is claimed (DESIGN 5.4).
 */
export function catalogueRow(entry: CatalogueEntry): JsonObject {
  const common = { ref: entry.ref, tool: entry.tool, tool_version: entry.toolVersion };
  const versions = { version: entry.version, supersedes: entry.supersedes };
  if (entry.status === 'refresh_failed') {
    return {
      ...common,
      status: 'refresh_failed',
      failure: entry.failure ?? null,
      attempted_at: entry.acquiredAt,
      ...versions,
      note: 'nothing was stored; the version named by supersedes is unchanged',
    };
  }
  const open = entry.population === 'open';
  const fields = namesWithin(entry.fields, maxFields);
  const fileName = shownName(entry.fileName);
  return {
    ...common,
    status: 'stored',
    ...shape(entry),
    bytes: entry.bytes,
    fields: [...fields],
    ...(entry.fields.length > fields.length ? { fields_left_out: entry.fields.length - fields.length } : {}),
    population: entry.population,
    total: open || entry.pictureType !== undefined ? null : entry.records,
    ...(open ? { input_complete: null, note: searchExecuted(entry.records ?? 0) } : {}),
    acquired_at: entry.acquiredAt,
    available_until: entry.availableUntil,
    ...versions,
    ...(entry.derivedFrom.length > 0 ? { derived_from: entry.derivedFrom } : {}),
    ...(fileName === null ? {} : { file_name: fileName }),
  };
}
