import { ClaimcheckError } from '../errors.ts';
import type { OwnerKey } from '../reference/owner-key.ts';
import type { Clock } from '../telemetry/telemetry.ts';

/** One kind of thing that is kept for people, wherever it is kept. */
export interface OwnedThings {
  /** e.g. `objects`; names the line of the report. */
  readonly name: string;
  /** Removes all that there is now and answers how much it was; finding nothing is a success. With `dry`: only counts. */
  remove(owner: OwnerKey, dry: boolean): Promise<number>;
}

export interface ErasePorts {
  readonly tombstones: {
    /** Put-if-absent: from here on nothing is admitted or written for this owner. Answers when it was first put. */
    put(owner: OwnerKey, at: string): Promise<string>;
  };
  /** Open runs are stopped first: they are what still writes. */
  readonly stopRuns: (owner: OwnerKey) => Promise<number>;
  /** In the order of removal. What leads to other things comes after them, so that a repeat finds them again. */
  readonly things: readonly OwnedThings[];
  readonly clock: Clock;
  readonly say?: (line: string) => void;
}

export interface ErasureReport {
  readonly owner: OwnerKey;
  readonly erased: boolean;
  /** ISO 8601, UTC: when the owner was first marked. A repeat keeps it. Null for a dry run. */
  readonly requestedAt: string | null;
  readonly finishedAt: string;
  readonly stoppedRuns: number;
  readonly removed: Readonly<Record<string, number>>;
  readonly passes: number;
}

/** Passes until one finds nothing: a write that had asked for the tombstone before it stood may land once more. */
const maxPasses = 5;

/**
 * Erases one owner: tombstone, stop, remove, and again until nothing is found. May be broken off and repeated at any
 * time. Throws `StorageUnavailable` when things keep appearing.
 */
export async function eraseOwner(
  owner: OwnerKey,
  ports: ErasePorts,
  options: { readonly dry?: boolean } = {},
): Promise<ErasureReport> {
  const dry = options.dry === true;
  const say = ports.say ?? (() => {});
  const requestedAt = dry ? null : await ports.tombstones.put(owner, ports.clock.now().toISOString());
  const stoppedRuns = dry ? 0 : await ports.stopRuns(owner);
  const removed: Record<string, number> = Object.fromEntries(ports.things.map(({ name }) => [name, 0]));
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    let found = 0;
    for (const thing of ports.things) {
      const number = await thing.remove(owner, dry);
      found += number;
      removed[thing.name] = (removed[thing.name] ?? 0) + number;
      if (number > 0) say(`${thing.name}: ${number} ${dry ? 'found' : 'removed'}`);
    }
    if (dry || found === 0) {
      const finishedAt = ports.clock.now().toISOString();
      return { owner, erased: !dry, requestedAt, finishedAt, stoppedRuns, removed, passes: pass };
    }
  }
  throw new ClaimcheckError('StorageUnavailable', 'erasure: something still writes for this owner; repeat it', removed);
}

/** The owner key of a command line: exactly as keys hold it. Throws `InvalidInput` for anything else. */
export function ownerOfArgument(text: string): OwnerKey {
  if (!/^(?:[0-9a-z_~.-]|%[0-9A-F]{2}){1,1000}$/.test(text)) {
    throw new ClaimcheckError('InvalidInput', 'owner: expected the owner key, as it stands in object keys');
  }
  return text as OwnerKey;
}
