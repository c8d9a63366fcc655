import { putsOf, type Usage } from './cost-formula.ts';

/** A size class of tool results, by what the hook does with it (DESIGN 5.7). */
export interface SizeClass {
  readonly name: string;
  readonly bytes: number;
  /** What the model gets of it. */
  readonly insertedBytes: number;
  readonly stored: boolean;
  /** Through `run-tool` alone, or stored by the wrapper and scanned afterwards. */
  readonly wrapper: boolean;
}

const KiB = 1024;
const MiB = 1024 * KiB;

export const sizeClasses: readonly SizeClass[] = [
  { name: '1 KiB', bytes: 1 * KiB, insertedBytes: 1 * KiB, stored: false, wrapper: false },
  { name: '20 KiB', bytes: 20 * KiB, insertedBytes: 24 * KiB, stored: true, wrapper: false },
  { name: '200 KiB', bytes: 200 * KiB, insertedBytes: 24 * KiB, stored: true, wrapper: false },
  { name: '2 MiB', bytes: 2 * MiB, insertedBytes: 24 * KiB, stored: true, wrapper: true },
  { name: '15 MiB', bytes: 15 * MiB, insertedBytes: 24 * KiB, stored: true, wrapper: true },
  { name: '200 MiB', bytes: 200 * MiB, insertedBytes: 24 * KiB, stored: true, wrapper: true },
];

/**
 * Requests of one `run-tool` by operation, beside uploads. `test/integration/faults.test.ts` counts them on a real run
 * and fails when they are others.
 */
export const requestsOfRunTool = {
  answer: { GetItem: 3, Query: 4, PutItem: 5, UpdateItem: 1, gets: 0 },
  wrapper: { GetItem: 3, Query: 4, PutItem: 5, UpdateItem: 1, gets: 3 },
} as const;

/** Bytes of one catalogue row with its copy in the index by time, and of the outcome with what the model gets. */
const rowBytes = 2 * 3 * KiB;
const smallItemBytes = KiB;
/** Megabytes a second that the scan of a body takes of a 1 GiB function (`npm run bench preview`). */
const scanBytesPerSecond = 60 * 1_000_000;
/** Log lines and metrics of one call. */
const logBytes = 4 * KiB;
/** States entered for one tool use: the map's iteration, the task, the choice, the pass. */
const transitions = 4;

/** What one result of a class asks of each service. */
export function usageOf(size: SizeClass, retentionDays: number): Usage {
  const requests = requestsOfRunTool[size.wrapper ? 'wrapper' : 'answer'];
  const outcomeBytes = size.insertedBytes + smallItemBytes;
  const writes = (bytes: number) => Math.ceil(bytes / KiB);
  // Of the items put, one is the catalogue row, one the outcome; claim, grant and the rest are small.
  const stored = size.stored ? writes(rowBytes) + (requests.PutItem - 2) * writes(smallItemBytes) : 0;
  return {
    bytes: size.stored ? size.bytes : 0,
    retentionDays,
    puts: size.stored ? putsOf(size.bytes) : 0,
    gets: size.stored ? requests.gets : 0,
    writeUnits: stored + writes(outcomeBytes) + requests.UpdateItem * writes(smallItemBytes),
    // Strongly consistent: one unit for each 4 KB; a query reads a page of small rows.
    readUnits: requests.GetItem + requests.Query * 2,
    tableBytes: (size.stored ? rowBytes : 0) + outcomeBytes,
    transitions,
    invocations: size.wrapper ? 2 : 1,
    seconds: 0.3 + size.bytes / scanBytesPerSecond,
    memoryMiB: 1024,
    logBytes,
  };
}
