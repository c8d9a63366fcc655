import { FileCatalogue } from './file-catalogue.ts';
import { FileResultStore } from './file-result-store.ts';
import { type SweepOptions, type Swept, sweepFolder } from './sweep.ts';

/** Longest sweep at the start of a process, in milliseconds; it goes on beside everything else. */
const startSweepMs = 2_000;

export interface ResultsFolder {
  readonly store: FileResultStore;
  readonly catalogue: FileCatalogue;
  /** Removes what is past its date and what was left over. For a process that runs for days: call it now and then. */
  readonly sweep: (options?: SweepOptions) => Promise<Swept>;
  /** What the sweep at the start came to; null where there was none. Never rejects. */
  readonly swept: Promise<Swept | null>;
}

/** A store and its catalogue in one folder, swept for a moment when it is opened (`sweepAtStart: false`: not). */
export function resultsFolder(
  root: string,
  options: { readonly durable?: boolean; readonly sweepAtStart?: boolean } = {},
): ResultsFolder {
  const { durable = false, sweepAtStart = true } = options;
  const sweep = (given: SweepOptions = {}) => sweepFolder(root, given);
  // Trouble in the folder is told by whoever reads or writes there.
  const swept = sweepAtStart ? sweep({ maxMs: startSweepMs }).catch(() => null) : Promise.resolve(null);
  return { store: new FileResultStore(root, { durable }), catalogue: new FileCatalogue(root), sweep, swept };
}
