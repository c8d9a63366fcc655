import type { OwnerKey } from '../reference/owner-key.ts';

export type RunStatus = 'admitted' | 'succeeded' | 'failed';

/** One execution of an agent flow, admitted for one owner with the roles they had then (DESIGN 2). */
export interface Run {
  readonly runId: string;
  readonly owner: OwnerKey;
  /** What the identity provider calls the person (role look-ups); never part of a key. */
  readonly username: string;
  readonly session: string;
  readonly agent: string;
  readonly roles: readonly string[];
  /** SHA-256 over the sorted roles, hex: with owner and session, the scope. */
  readonly rolesDigest: string;
  readonly message: string;
  readonly stateMachineArn: string;
  readonly status: RunStatus;
  /** Set when the run ended badly: one short sentence fit for a person. */
  readonly failure?: string;
  /** ISO 8601, UTC. */
  readonly admittedAt: string;
  readonly endedAt?: string;
  /** References of other sessions that the run was admitted with. */
  readonly admittedReferences: readonly string[];
}

/** Run headers. Append-only except for the one transition from `admitted` to an end. */
export interface RunRecords {
  /** Put-if-absent; answers the run that stands there afterwards. */
  admit(run: Run): Promise<{ readonly created: boolean; readonly run: Run }>;
  get(runId: string): Promise<Run | undefined>;
  /** Put-if-still-admitted; answers the run that stands there afterwards. */
  close(
    runId: string,
    end: { readonly status: 'succeeded' | 'failed'; readonly failure?: string; readonly endedAt: string },
  ): Promise<Run>;
}

export interface Grant {
  readonly ref: string;
  readonly via: 'produced' | 'session' | 'admitted' | 'hand-off';
  readonly grantedAt: string;
}

/** A run's recorded rights to read exact stored results (DESIGN 7.5). */
export interface Grants {
  give(runId: string, grant: Grant): Promise<void>;
  find(runId: string, ref: string): Promise<Grant | undefined>;
  all(runId: string): Promise<readonly Grant[]>;
}
