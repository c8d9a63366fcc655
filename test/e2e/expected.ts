import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ExampleData } from '../../local/deploy.ts';
import { flightsText } from '../../tools/flights/rows.ts';
import { notes } from '../../tools/search-notes/notes.ts';
import { services, statusReport } from '../../tools/service-status/report.ts';

/** What a tool produces, computed here from the same data and not by way of the platform. */
export interface Produced {
  readonly sha256: string;
  readonly bytes: number;
}

export function statusProduced(data: ExampleData): Produced {
  return produced(statusReport(data));
}

/** The last service of the report: only who reads to the end knows it. */
export function lastService(data: ExampleData): { readonly id: string; readonly region: string } {
  let last: { readonly id: string; readonly region: string } | undefined;
  for (const service of services(data)) last = service;
  if (last === undefined) throw new Error('no services');
  return last;
}

export function flightsProduced(data: ExampleData): Produced {
  const file = resolve(
    import.meta.dirname,
    '../..',
    join('node_modules', 'vega-datasets', 'data', 'flights-200k.json'),
  );
  return produced([Buffer.from(flightsText(readFileSync(file, 'utf8'), data.seed), 'utf8')]);
}

export function notesProduced(data: ExampleData): Produced {
  return produced([Buffer.from(notes(data.seed, undefined).trimEnd(), 'utf8')]);
}

export function digest(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

function produced(pieces: Iterable<Uint8Array>): Produced {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const piece of pieces) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}
