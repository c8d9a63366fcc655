import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultSettings, type Settings } from '../../../core/settings.ts';
import type { ResultStore } from '../../../core/store/result-store.ts';
import type { LogFacts } from '../../../core/telemetry/telemetry.ts';
import { References, type ReferencesOptions } from '../../../core/wrap/references.ts';
import { FileCatalogue } from '../../../files/file-catalogue.ts';
import { FileResultStore } from '../../../files/file-result-store.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-'));
  folders.push(folder);
  return folder;
}

export interface Line extends LogFacts {
  readonly event: string;
}

/** A process with a store in a folder of its own, and what it logged. */
export function workspace(
  options: Partial<ReferencesOptions> & { readonly wrapStore?: (store: ResultStore) => ResultStore } = {},
) {
  const folder = newFolder();
  const lines: Line[] = [];
  const { wrapStore = (store: ResultStore) => store, ...rest } = options;
  const store = wrapStore(new FileResultStore(folder));
  const references = new References({
    store,
    catalogue: new FileCatalogue(folder),
    telemetry: { decision: (event, facts) => lines.push({ event, ...facts }), count: () => {} },
    ...rest,
  });
  const run = references.run({ owner: 'Ada', session: 'chat 1' });
  return { folder, references, run, lines, store };
}

export function settings(change: { readonly [K in keyof Settings]?: Partial<Settings[K]> }): Settings {
  const changed = Object.entries(change).map(([key, value]) => [
    key,
    { ...defaultSettings[key as keyof Settings], ...value },
  ]);
  return { ...defaultSettings, ...Object.fromEntries(changed) };
}

export const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `customer ${id}`,
    note: id === count - 1 ? 'the last one' : 'a row',
  }));

export interface Reference {
  readonly ref: string;
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly fields: readonly string[];
}

/** The data reference at the end of content, made by the platform. */
export function referenceIn(content: readonly unknown[]): Reference {
  return (content.at(-1) as { json: { data_reference: Reference } }).json.data_reference;
}
