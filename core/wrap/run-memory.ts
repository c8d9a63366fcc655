import type { Replacement, Replacements } from '../guard/replacements.ts';
import type { JsonValue } from '../json.ts';
import type { Outcomes } from '../run/outcomes.ts';
import type { Grant, Grants } from '../run/run.ts';

/** What one call of a run came to: enough to say later where its content is. */
export interface RememberedCall {
  readonly tool: string;
  readonly ref: string | null;
  /** Of a read: what was asked for, to repeat it. */
  readonly delivered?: JsonValue;
}

/** Calls that are told apart under one tool-use id; who uses one id for all has lost the older ones. */
const callsOfOneId = 50;

interface RunState {
  readonly grants: Map<string, Grant>;
  readonly outcomes: Map<string, unknown>;
  readonly replacements: Map<string, Replacement>;
  readonly calls: Map<string, RememberedCall[]>;
  index: number;
}

/**
 * Runs of one process, in memory: grants, outcomes, guard replacements. The runs used last are kept; what an older one
 * had stored stays readable for its session, since that right is looked up in the catalogue. Where runs go on in other
 * processes, give the table's ports instead.
 */
export class RunMemory {
  readonly #runs = new Map<string, RunState>();
  readonly #most: number;

  constructor(most = 1_000) {
    this.#most = most;
  }

  readonly grants: Grants = {
    give: async (runId, grant) => {
      const { grants } = this.#of(runId);
      if (!grants.has(grant.ref)) grants.set(grant.ref, grant);
    },
    find: async (runId, ref) => this.#of(runId).grants.get(ref),
    all: async (runId) => [...this.#of(runId).grants.values()],
  };

  readonly outcomes: Outcomes = {
    find: async <T>(runId: string, key: string) => this.#of(runId).outcomes.get(key) as T | undefined,
    record: async <T>(runId: string, key: string, outcome: T) => {
      const { outcomes } = this.#of(runId);
      if (outcomes.has(key)) return { created: false, outcome: outcomes.get(key) as T };
      outcomes.set(key, outcome);
      return { created: true, outcome };
    },
    list: async <T>(runId: string, prefix: string) =>
      [...this.#of(runId).outcomes]
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, outcome]) => ({ key, outcome: outcome as T })),
  };

  readonly replacements: Replacements = {
    all: async (runId) => [...this.#of(runId).replacements.values()],
    putIfAbsent: async (runId, replacement) => {
      const { replacements } = this.#of(runId);
      const key = `${replacement.toolUseId}/${replacement.digest}`;
      const standing = replacements.get(key) ?? replacement;
      replacements.set(key, standing);
      return standing;
    },
  };

  /** The next number of a call in a run: ids of tool uses may repeat, these do not. */
  nextIndex(runId: string): number {
    const run = this.#of(runId);
    run.index += 1;
    return run.index;
  }

  remember(runId: string, toolUseId: string, call: RememberedCall): void {
    const { calls } = this.#of(runId);
    const same = calls.get(toolUseId);
    if (same === undefined) calls.set(toolUseId, [call]);
    else if (same.push(call) > callsOfOneId) same.shift();
  }

  calls(runId: string, toolUseId: string): readonly RememberedCall[] {
    return this.#of(runId).calls.get(toolUseId) ?? [];
  }

  #of(runId: string): RunState {
    const run = this.#runs.get(runId) ?? {
      grants: new Map(),
      outcomes: new Map(),
      replacements: new Map(),
      calls: new Map(),
      index: -1,
    };
    // The one used last stands last.
    this.#runs.delete(runId);
    this.#runs.set(runId, run);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= this.#most) break;
      this.#runs.delete(oldest);
    }
    return run;
  }
}
