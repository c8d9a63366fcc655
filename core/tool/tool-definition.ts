import type { JsonObject } from '../json.ts';
import { gateOpens } from './gate.ts';

export type RetryClass =
  /** Safe to execute again: reads. */
  | 'idempotent'
  /** Has side effects: executed once per tool-use id, never again. */
  | 'once';

/** How a result comes in: in the tool's own function by the wrapper, or as an answer that `run-tool` stores. */
export type ToolIntake = 'wrapper' | 'answer';

/**
 * What the model is shown of a result that does not fit, beside totals, fields and reference: whole records and the
 * profile of all, or one of the two.
 */
export const summaryFormats = ['records_and_profile', 'records', 'profile'] as const;
export type SummaryFormat = (typeof summaryFormats)[number];

/**
 * One entry of the tool catalogue: what a tool is and the rules that hold for it. Synthesis fails for an entry
 * without budget, roles and retry class.
 */
export interface ToolDefinition {
  /** `^[a-z][a-z0-9_]{0,47}$`; what the model calls. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** JSON Schema of the input, an object. */
  readonly inputSchema: JsonObject;
  readonly intake: ToolIntake;
  /** The caller needs one of these; an empty list admits nobody, `['*']` everybody who is signed in. */
  readonly roles: readonly string[];
  readonly retry: RetryClass;
  /** Bytes that this tool's result may put into the model's context; at most `insert.maxBytes`. */
  readonly budgetBytes: number;
  /** Default `records_and_profile`. What cannot be stored is shown by its records, whatever stands here. */
  readonly summary?: SummaryFormat;
  readonly storageMaxBytes?: number;
  /** Time limit of one execution, in milliseconds. */
  readonly timeoutMs: number;
  /** A list tool: beside the body that it stores stands a CSV for people (DESIGN 5.6). Needs intake `wrapper`. */
  readonly exports?: boolean;
  /** The same arguments may be answered from a stored result of the same owner and scope. */
  readonly reuse?: { readonly maxAgeSeconds: number };
  /** Fields kept per role, applied before anything is stored; the widest that the roles held allow. Absent: all. */
  readonly view?: Readonly<Record<string, readonly string[]>>;
  /** The field that identifies a record, and the input argument that lists the expected ids. */
  readonly identity?: { readonly field: string; readonly expectedFrom?: string };
  /** `open`: a search; its total is not knowable. */
  readonly population: 'finite' | 'open';
  /** Answered by the platform itself (list_results, read_result, analyze_result): never stored again. */
  readonly builtin?: boolean;
}

/** The tools that exist; an unknown name is refused everywhere (DESIGN 7.4). */
export interface ToolCatalogue {
  find(name: string): ToolDefinition | undefined;
  all(): readonly ToolDefinition[];
}

export function toolCatalogue(definitions: readonly ToolDefinition[]): ToolCatalogue {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  return { find: (name) => byName.get(name), all: () => definitions };
}

/** Is one of the roles held allowed to use this tool? Exact names only. */
export function allowed(tool: ToolDefinition, roles: readonly string[]): boolean {
  return tool.roles.includes('*') || tool.roles.some((role) => roles.includes(role));
}

/**
 * A (derived) result is open to those who pass the gate of everything it came from (`gate.ts`): the tool is allowed, and
 * its view is as wide now as it was for the result. An unknown tool is refused.
 */
export function passesGates(catalogue: ToolCatalogue, gates: readonly string[], roles: readonly string[]): boolean {
  return gates.length > 0 && gates.every((gate) => gateOpens(catalogue, gate, roles));
}

/** What a tool's function receives. `context` is made by the platform, never by a model (DESIGN 5.8). */
export interface ToolEvent {
  readonly input: JsonObject;
  readonly context: ToolContext;
}

export interface ToolContext {
  readonly runId: string;
  readonly turn: number;
  readonly index: number;
  readonly toolUseId: string;
  readonly tool: string;
  readonly owner: string;
  readonly session: string;
  readonly roles: readonly string[];
  /** ISO 8601, UTC: when the platform stops waiting. */
  readonly deadline: string;
  /** Claimed for this attempt: the id that a wrapper stores under. */
  readonly resultId: string;
  /** ISO 8601, UTC: fixed before the write (DESIGN 6). */
  readonly availableUntil: string;
}
