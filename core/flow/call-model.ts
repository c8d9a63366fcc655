import type { Message, MessageBlock, ToolResultBlock, ToolUseBlock } from '../content/block.ts';
import { deepest, nestedDeeper } from '../content/sendable.ts';
import { sendableMessages } from '../content/sendable-messages.ts';
import { ClaimcheckError } from '../errors.ts';
import type { Model, ModelReply, ModelRequest, ModelSettings } from '../model/model.ts';
import { ModelServiceError } from '../model/model.ts';
import { checkRunTokens } from '../quota/run-tokens.ts';
import { checkRun, type FlowIdentity } from '../run/check-run.ts';
import type { RunMessage, RunMessages } from '../run/messages.ts';
import type { Outcomes, ToolOutcome } from '../run/outcomes.ts';
import type { Run, RunRecords } from '../run/run.ts';
import type { Settings } from '../settings.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';
import type { ToolCatalogue } from '../tool/tool-definition.ts';
import { offeredTools } from './offered-tools.ts';
import { toolOutcomeKey } from './run-tool.ts';

export interface CallModelEvent {
  readonly runId: string;
  readonly turn: number;
  readonly agent: string;
  readonly flow: FlowIdentity;
}

export interface CallModelPorts {
  readonly runs: RunRecords;
  readonly messages: RunMessages;
  readonly outcomes: Outcomes;
  readonly tools: ToolCatalogue;
  /** Tool name → function name: a tool without a function is not offered. */
  readonly functions: Readonly<Record<string, string>>;
  /** Instructions of an agent. */
  readonly instructions: (agent: string) => string;
  readonly modelSettings: (agent: string) => ModelSettings;
  /** Earlier turns of the chat as this agent saw them, ready to be sent; empty for a new one. */
  readonly history: (run: Run, agent: string) => Promise<readonly Message[]>;
  /** One call under the guard (DESIGN 8); `turn` and `agent` say where in the run it is made. */
  readonly converse: (
    request: ModelRequest,
    place: { readonly run: Run; readonly agent: string; readonly turn: number },
  ) => Promise<ModelReply>;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface CallModelResult {
  readonly outcome: 'ok';
  readonly stopReason: string;
  /** The turn of the answer, which `run-tool` is called with. */
  readonly turn: number;
  /** The turn of the next call. */
  readonly next: number;
  readonly toolUses: readonly { readonly index: number; readonly name: string }[];
}

/** What one call came to: with it, the answer is written and never asked for again. */
interface CallOutcome {
  readonly agent: string;
  readonly stopReason: string;
  readonly content: readonly MessageBlock[];
  readonly usage: ModelReply['usage'];
  readonly at: string;
}

/** Without a guard: the model itself. */
export function plainConverse(model: Model): CallModelPorts['converse'] {
  return (request) => model.converse(request);
}

/**
 * One model call of a run, once: the thread with the results of the turn before, guard, model, answer appended. The
 * outcome is recorded before the message, so a repeated event calls nothing and only finishes what was interrupted.
 * A turn is one answer with its tool results; turn 0 is the opening message, so the first call is turn 1.
 */
export async function callModel(event: CallModelEvent, ports: CallModelPorts): Promise<CallModelResult> {
  const { runId, agent } = event;
  const turn = Math.max(1, event.turn);
  const run = await checkRun(runId, event.flow, {
    runs: ports.runs,
    clock: ports.clock,
    telemetry: ports.telemetry,
    maxAgeSeconds: ports.settings.run.maxAgeSeconds,
  });
  const recorded = await ports.outcomes.find<CallOutcome>(runId, `call/${turn}`);
  const outcome = recorded ?? (await ask(run, agent, turn, ports));
  if (outcome.agent !== agent) {
    throw new ClaimcheckError('InvalidInput', 'agent: another agent was called at this turn');
  }
  await ports.messages.append(runId, { agent, turn, role: 'assistant', content: outcome.content });
  return answer(outcome, turn, ports);
}

async function ask(run: Run, agent: string, turn: number, ports: CallModelPorts): Promise<CallOutcome> {
  const { maxTurns, maxTokens } = ports.settings.run;
  if (turn > maxTurns) {
    ports.telemetry.count('QuotaRefused', 1, { reason: 'turns' });
    throw new ClaimcheckError('TurnLimit', `run: no answer after ${maxTurns} turns`, { maxTurns });
  }
  const calls = (await ports.outcomes.list<CallOutcome>(run.runId, 'call/')).map(({ key, outcome }) => ({
    ...outcome,
    turn: Number(key.slice('call/'.length)),
  }));
  checkRunTokens(calls, ports.settings.quota.runTokens, ports.telemetry);
  await appendToolResults(run, agent, calls.filter((call) => call.agent === agent && call.turn < turn).at(-1), ports);
  const thread = await ports.messages.thread(run.runId, agent);
  if (thread.length === 0) {
    throw new ClaimcheckError('NotFound', 'messages: this agent has nothing to answer in this run');
  }
  const model = ports.modelSettings(agent);
  const request: ModelRequest = {
    modelId: model.modelId,
    system: [
      { text: ports.instructions(agent) },
      ...(model.cachePoints ? [{ cachePoint: { type: 'default' as const } }] : []),
    ],
    // Blocks that are fine stay the same objects: what is known about them is found by them.
    messages: sendableMessages([
      ...(await ports.history(run, agent)),
      ...thread.map(({ role, content }): Message => ({ role, content })),
    ]),
    tools: offeredTools(run.roles, ports.tools, ports.functions),
    cacheTools: model.cachePoints,
    maxTokens: Math.min(model.maxTokens, maxTokens),
  };
  const reply = await converse(request, { run, agent, turn }, ports);
  const { outcome } = await ports.outcomes.record<CallOutcome>(run.runId, `call/${turn}`, {
    agent,
    stopReason: reply.stopReason,
    content: spoken(reply.message.content),
    usage: reply.usage,
    at: ports.clock.now().toISOString(),
  });
  ports.telemetry.decision('model_called', { turn, stopReason: reply.stopReason, ...reply.usage });
  return outcome;
}

async function converse(
  request: ModelRequest,
  place: { readonly run: Run; readonly agent: string; readonly turn: number },
  ports: CallModelPorts,
): Promise<ModelReply> {
  try {
    return await ports.converse(request, place);
  } catch (error) {
    if (!(error instanceof ModelServiceError)) throw error;
    // The service's own wording may quote the request: it stays in the error's cause and out of the outcome.
    throw new ClaimcheckError(
      error.retryable ? 'ModelUnavailable' : 'ModelRefused',
      error.retryable ? 'model: the service is not available' : 'model: the service refused the request',
      { service: error.service },
      { cause: error },
    );
  }
}

/**
 * The results of the agent's last turn as one user message, one block per tool use and complete: a call that left no
 * outcome is answered with an error, since the service refuses a call without a result (case H013). The last turn is
 * the recorded answer and not the end of the thread: who died while appending has left a thread that cannot be read,
 * and the repeat completes it.
 */
async function appendToolResults(
  run: Run,
  agent: string,
  last: { readonly turn: number; readonly content: readonly MessageBlock[] } | undefined,
  ports: CallModelPorts,
): Promise<void> {
  if (last === undefined) return;
  const uses = last.content.filter((block): block is ToolUseBlock => 'toolUse' in block);
  if (uses.length === 0) return;
  const { maxToolsPerTurn } = ports.settings.run;
  const content: ToolResultBlock[] = [];
  for (const [index, { toolUse }] of uses.entries()) {
    const outcome =
      index < maxToolsPerTurn
        ? await ports.outcomes.find<ToolOutcome>(run.runId, toolOutcomeKey(last.turn, index))
        : undefined;
    content.push({
      toolResult: {
        toolUseId: toolUse.toolUseId,
        status: outcome?.status ?? 'error',
        content: outcome?.content ?? [
          {
            text:
              index < maxToolsPerTurn
                ? 'ToolUnavailable: this call did not come to an end'
                : `Not executed: at most ${maxToolsPerTurn} tools can be used in one turn; ask again for this one`,
          },
        ],
      },
    });
  }
  const message: RunMessage = { agent, turn: last.turn, role: 'user', content };
  await ports.messages.append(run.runId, message);
}

/**
 * An answer never is empty and holds no blank text: the service would refuse to be sent it back. Arguments that are
 * nested beyond reason would break every later step of the run, so they end it here, with a word about why.
 */
function spoken(content: readonly MessageBlock[]): readonly MessageBlock[] {
  if (content.some((block) => 'toolUse' in block && nestedDeeper(block.toolUse.input, deepest))) {
    throw new ClaimcheckError('ModelRefused', `model: it nested a tool's arguments deeper than ${deepest} levels`);
  }
  const kept = content.filter((block) => !('text' in block) || block.text.trim() !== '');
  return kept.length > 0 ? kept : [{ text: 'The model gave no answer.' }];
}

function answer(outcome: CallOutcome, turn: number, { tools, settings }: CallModelPorts): CallModelResult {
  const uses = outcome.content.filter((block): block is ToolUseBlock => 'toolUse' in block);
  return {
    outcome: 'ok',
    stopReason: outcome.stopReason,
    turn,
    next: turn + 1,
    // The name travels through the flow's state and stays in its history: one that a model made up is content.
    toolUses: uses
      .slice(0, settings.run.maxToolsPerTurn)
      .map(({ toolUse }, index) => ({ index, name: tools.find(toolUse.name)?.name ?? 'unknown' })),
  };
}
