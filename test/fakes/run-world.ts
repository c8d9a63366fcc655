import type { ChatHeader, NumberedTurn } from '../../core/chat/chat.ts';
import type { ContentBlock, MessageBlock, ToolResult } from '../../core/content/block.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import { rolesDigest } from '../../core/run/roles-digest.ts';
import type { Run } from '../../core/run/run.ts';
import { defaultSettings, type Settings } from '../../core/settings.ts';
import type { LogFacts, MetricName, Telemetry } from '../../core/telemetry/telemetry.ts';
import { type ToolDefinition, toolCatalogue } from '../../core/tool/tool-definition.ts';
import type { ToolInvoker } from '../../core/tool/tool-invoker.ts';
import { MemoryCatalogue } from './memory-catalogue.ts';
import { MemoryResultStore } from './memory-result-store.ts';
import {
  MemoryActiveRuns,
  MemoryAttempts,
  MemoryErasures,
  MemoryGrants,
  MemoryMessages,
  MemoryOutcomes,
  MemoryRunRecords,
} from './memory-runs.ts';

export const runId = 'a'.repeat(32);
export const session = 'b'.repeat(32);
export const arn = 'arn:aws:states:eu-central-1:000000000000:stateMachine:claimcheck-assistant';
export const flow = { execution: `${arn.replace('stateMachine', 'execution')}:${runId}`, stateMachine: arn };
export const now = new Date('2026-11-30T12:00:00.000Z');

export const run: Run = {
  runId,
  owner: ownerKey('ada'),
  username: 'ada',
  session,
  agent: 'assistant',
  roles: ['ops'],
  rolesDigest: rolesDigest(['ops']),
  message: 'Which region fails most?',
  stateMachineArn: arn,
  status: 'admitted',
  admittedAt: now.toISOString(),
  admittedReferences: [],
};

export const rowsTool: ToolDefinition = {
  name: 'rows',
  version: '1',
  description: 'Answers rows.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
  intake: 'answer',
  roles: ['ops'],
  retry: 'idempotent',
  budgetBytes: 24 * 1024,
  timeoutMs: 10_000,
  population: 'finite',
};

export class RecordingTelemetry implements Telemetry {
  readonly decisions: { readonly name: string; readonly facts: LogFacts }[] = [];
  readonly counts: { readonly metric: MetricName; readonly value: number; readonly reason?: string | undefined }[] = [];

  decision(name: string, facts: LogFacts = {}): void {
    this.decisions.push({ name, facts });
  }
  count(metric: MetricName, value = 1, dimensions: { readonly reason?: string } = {}): void {
    this.counts.push({ metric, value, reason: dimensions.reason });
  }
}

/** Answers, or fails with, the next of what it was given; remembers what it was asked. */
export class ScriptedInvoker implements ToolInvoker {
  readonly asked: { readonly functionName: string; readonly payload: unknown }[] = [];
  readonly #answers: unknown[];

  constructor(...answers: unknown[]) {
    this.#answers = answers;
  }

  async invoke(functionName: string, payload: unknown): Promise<unknown> {
    this.asked.push({ functionName, payload });
    const next = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
    if (next instanceof Error) throw next;
    return typeof next === 'function' ? (next as (payload: unknown) => unknown)(payload) : next;
  }
}

/** A world with one admitted run whose first answer holds the given blocks (turn 1). */
export async function runWorld(
  options: {
    readonly answer?: readonly MessageBlock[];
    readonly tools?: readonly ToolDefinition[];
    readonly invoker?: ScriptedInvoker;
    readonly settings?: Settings;
    readonly run?: Partial<Run>;
  } = {},
) {
  const telemetry = new RecordingTelemetry();
  const tools = options.tools ?? [rowsTool];
  const invoker = options.invoker ?? new ScriptedInvoker({ status: 'success', content: [{ text: 'small' }] });
  const pauses: number[] = [];
  const world = {
    runs: new MemoryRunRecords(),
    messages: new MemoryMessages(),
    outcomes: new MemoryOutcomes(),
    attempts: new MemoryAttempts(),
    grants: new MemoryGrants(),
    activeRuns: new MemoryActiveRuns(),
    erasures: new MemoryErasures(),
    catalogue: new MemoryCatalogue(),
    store: new MemoryResultStore(),
    /** A new chat: nothing stands before this run. */
    chats: {
      header: async (): Promise<ChatHeader | undefined> => undefined,
      turns: async (): Promise<readonly NumberedTurn[]> => [],
    },
    telemetry,
    clock: { now: () => now },
    settings: options.settings ?? defaultSettings,
    baseUrl: 'https://check.example',
    tools: toolCatalogue(tools),
    functions: Object.fromEntries(tools.map((tool) => [tool.name, `claimcheck-tool-${tool.name}`])),
    invoker,
    timeLeftMs: () => 120_000,
    sleep: async (ms: number) => {
      pauses.push(ms);
    },
    random: () => 0.5,
    pauses,
  };
  await world.runs.admit({ ...run, ...options.run });
  await world.messages.append(runId, { agent: 'assistant', turn: 0, role: 'user', content: [{ text: run.message }] });
  if (options.answer !== undefined) {
    await world.messages.append(runId, { agent: 'assistant', turn: 1, role: 'assistant', content: options.answer });
  }
  return world;
}

export const use = (name: string, input: unknown = {}, toolUseId = 'use-1'): MessageBlock => ({
  toolUse: { toolUseId, name, input: input as never },
});

export const success = (...content: readonly ContentBlock[]): ToolResult => ({ status: 'success', content });

/** A JSON array of `count` rows, the last of them the only one that says so. */
export function rowsText(count: number): string {
  const rows = Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    name: `row ${i + 1}`,
    note: i + 1 === count ? 'the last' : 'one of many',
  }));
  return JSON.stringify(rows);
}
