import type { ContentBlock } from '../content/block.ts';
import type { JsonValue } from '../json.ts';

/** What one tool call came to; written create-only under (runId, turn, index). */
export interface ToolOutcome {
  readonly toolUseId: string;
  readonly tool: string;
  readonly status: 'success' | 'error';
  readonly content: readonly ContentBlock[];
  /** The stored result that this call produced, or the one that answered a repeated call. */
  readonly ref: string | null;
  /** Digest of tool name and canonical arguments: recognises the same call. */
  readonly callDigest: string;
  readonly oversize: boolean;
  /** The call was refused before anything was executed, so that nothing of the tool is in `content`. */
  readonly refused?: true;
  readonly at: string;
  /** Facts that the basis and the final request check need: what a read or analysis delivered. */
  readonly delivered?: JsonValue;
}

/**
 * Create-only outcomes of a run's steps: the idempotency of DESIGN 5.8. Keys are `call/<turn>`,
 * `tool/<turn>/<index>`, `hand-off/<turn>/<to>`, `save`. An outcome holds at most 300 KB.
 */
export interface Outcomes {
  find<T>(runId: string, key: string): Promise<T | undefined>;
  /** Put-if-absent; answers what stands there afterwards. */
  record<T>(runId: string, key: string, outcome: T): Promise<{ readonly created: boolean; readonly outcome: T }>;
  /** All outcomes whose key starts with `prefix`, in key order. */
  list<T>(runId: string, prefix: string): Promise<readonly { readonly key: string; readonly outcome: T }[]>;
}

/** Counts executions of one tool call, whatever the layer (DESIGN 9). */
export interface Attempts {
  /** Atomically claims the next attempt (from 1) and its result id, before anything is executed. */
  claim(runId: string, turn: number, index: number): Promise<ClaimedAttempt>;
}

export interface ClaimedAttempt {
  readonly attempt: number;
  readonly resultId: string;
  /** Result ids of the attempts before: what they stored may be whole though their answer was lost. */
  readonly earlierIds: readonly string[];
}
