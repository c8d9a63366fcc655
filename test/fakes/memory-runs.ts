import type { ActiveRuns, Erasures, FlowStarter } from '../../core/run/flow-starter.ts';
import type { RunMessage, RunMessages } from '../../core/run/messages.ts';
import type { Attempts, ClaimedAttempt, Outcomes } from '../../core/run/outcomes.ts';
import type { Grant, Grants, Run, RunRecords } from '../../core/run/run.ts';
import { storedText, storedValue } from '../../core/run/stored-text.ts';

const clone = <T>(value: T): T => storedValue(storedText(value)) as T;

export class MemoryRunRecords implements RunRecords {
  readonly items = new Map<string, Run>();

  async admit(run: Run) {
    const standing = this.items.get(run.runId);
    if (standing !== undefined) return { created: false, run: standing };
    this.items.set(run.runId, clone(run));
    return { created: true, run };
  }
  async get(runId: string) {
    return this.items.get(runId);
  }
  async close(runId: string, end: { status: 'succeeded' | 'failed'; failure?: string; endedAt: string }) {
    const run = this.items.get(runId);
    if (run === undefined) throw new Error('no such run');
    if (run.status === 'admitted') this.items.set(runId, { ...run, ...end });
    return this.items.get(runId) as Run;
  }
}

export class MemoryMessages implements RunMessages {
  readonly items = new Map<string, RunMessage>();

  async append(runId: string, message: RunMessage) {
    const key = `${runId}|${message.turn}|${message.agent}|${message.role}`;
    const content = clone(message.content);
    if (!this.items.has(key)) this.items.set(key, { ...message, content });
  }
  async thread(runId: string, agent: string) {
    return this.#of(runId).filter((message) => message.agent === agent);
  }
  async find(runId: string, turn: number, role: 'user' | 'assistant') {
    return this.#of(runId).find((message) => message.turn === turn && message.role === role);
  }
  #of(runId: string): RunMessage[] {
    return [...this.items]
      .filter(([key]) => key.startsWith(`${runId}|`))
      .map(([, message]) => message)
      .sort((left, right) => left.turn - right.turn || (left.role < right.role ? -1 : 1));
  }
}

export class MemoryOutcomes implements Outcomes {
  readonly items = new Map<string, unknown>();

  async find<T>(runId: string, key: string) {
    return this.items.get(`${runId}|${key}`) as T | undefined;
  }
  async record<T>(runId: string, key: string, outcome: T) {
    const full = `${runId}|${key}`;
    if (this.items.has(full)) return { created: false, outcome: this.items.get(full) as T };
    this.items.set(full, clone(outcome));
    return { created: true, outcome };
  }
  async list<T>(runId: string, prefix: string) {
    const start = `${runId}|${prefix}`;
    return [...this.items]
      .filter(([key]) => key.startsWith(start))
      .sort(([left], [right]) => left.localeCompare(right, 'en', { numeric: true }))
      .map(([key, outcome]) => ({ key: key.slice(runId.length + 1), outcome: outcome as T }));
  }
}

export class MemoryAttempts implements Attempts {
  readonly items = new Map<string, string[]>();

  async claim(runId: string, turn: number, index: number): Promise<ClaimedAttempt> {
    const key = `${runId}|${turn}|${index}`;
    const earlierIds = this.items.get(key) ?? [];
    const resultId = `${earlierIds.length + 1}`.padStart(8, '0').repeat(4).slice(0, 24) + hex(turn) + hex(index);
    this.items.set(key, [...earlierIds, resultId]);
    return { attempt: earlierIds.length + 1, resultId, earlierIds };
  }
}

export class MemoryGrants implements Grants {
  readonly items = new Map<string, Grant>();

  async give(runId: string, grant: Grant) {
    const key = `${runId}|${grant.ref}`;
    if (!this.items.has(key)) this.items.set(key, grant);
  }
  async find(runId: string, ref: string) {
    return this.items.get(`${runId}|${ref}`);
  }
  async all(runId: string) {
    return [...this.items].filter(([key]) => key.startsWith(`${runId}|`)).map(([, grant]) => grant);
  }
}

export class MemoryActiveRuns implements ActiveRuns {
  readonly items = new Set<string>();

  async enter(owner: string, runId: string) {
    this.items.add(`${owner}|${runId}`);
    return [...this.items].filter((item) => item.startsWith(`${owner}|`)).map((item) => item.slice(owner.length + 1));
  }
  async leave(owner: string, runId: string) {
    this.items.delete(`${owner}|${runId}`);
  }
}

export class MemoryErasures implements Erasures {
  readonly erased = new Set<string>();

  async isErased(owner: string) {
    return this.erased.has(owner);
  }
}

export class MemoryStarter implements FlowStarter {
  readonly started: string[] = [];
  failures = 0;

  async start(stateMachineArn: string, runId: string) {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('not now');
    }
    this.started.push(`${stateMachineArn}|${runId}`);
  }
}

const hex = (value: number): string => value.toString(16).padStart(4, '0');
