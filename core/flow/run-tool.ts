import type { ToolResult, ToolUseBlock } from '../content/block.ts';
import { ClaimcheckError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { takeRidingSelection, withoutRidingSelection } from '../read/riding-selection.ts';
import type { Selection } from '../read/selection.ts';
import { checkRun, type FlowIdentity } from '../run/check-run.ts';
import type { RunMessages } from '../run/messages.ts';
import type { Attempts, Outcomes, ToolOutcome } from '../run/outcomes.ts';
import type { Run, RunRecords } from '../run/run.ts';
import { keepResult } from '../store/keep-result.ts';
import { recallResult } from '../store/keep-stored.ts';
import type { KeepPorts, KeepRequest } from '../store/keeping.ts';
import { callDigest, isObject } from '../tool/call-digest.ts';
import { allowed, type ToolCatalogue, type ToolDefinition } from '../tool/tool-definition.ts';
import type { ToolInvoker } from '../tool/tool-invoker.ts';
import { noteFailedRefresh, supersededVersion } from './call-version.ts';
import { executeTool, retentionEnd, type ToolCall } from './execute-tool.ts';
import { fittingOutcome } from './fitting-outcome.ts';
import { earlierOversize, noteRepeat, recordOversize, repeatAnswer } from './repeated-call.ts';
import { answerWithSelection, reusedOutcome } from './stored-answer.ts';

export interface RunToolEvent {
  readonly runId: string;
  readonly turn: number;
  readonly index: number;
  readonly flow: FlowIdentity;
}

export interface RunToolPorts extends KeepPorts {
  readonly runs: RunRecords;
  readonly messages: RunMessages;
  readonly outcomes: Outcomes;
  readonly attempts: Attempts;
  readonly tools: ToolCatalogue;
  readonly invoker: ToolInvoker;
  /** Tool name → function name. */
  readonly functions: Readonly<Record<string, string>>;
  readonly timeLeftMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
}

export interface RunToolResult {
  readonly outcome: 'ok';
  readonly status: 'success' | 'error';
  readonly ref: string | null;
}

/** Words that only the platform may say; an input that holds one on its top level is refused (DESIGN 5.8). */
const platformKeys = ['owner', 'session', 'roles', 'context', 'runId', 'turn', 'index'] as const;

export const toolOutcomeKey = (turn: number, index: number): string => `tool/${turn}/${index}`;

/**
 * One tool call of a run, once: gate, invoke, hook, outcome. The input is the one in the stored message. A repeated
 * event answers the recorded outcome. Whatever goes wrong with the tool is an error result for the model, so the
 * flow goes on; only a run that may not go on is an error outcome.
 */
export async function runTool(event: RunToolEvent, ports: RunToolPorts): Promise<RunToolResult> {
  const { runId, turn, index } = event;
  const run = await checkRun(runId, event.flow, {
    runs: ports.runs,
    clock: ports.clock,
    telemetry: ports.telemetry,
    maxAgeSeconds: ports.settings.run.maxAgeSeconds,
  });
  const recorded = await ports.outcomes.find<ToolOutcome>(runId, toolOutcomeKey(turn, index));
  if (recorded !== undefined) return answer(recorded);
  const { toolUse } = await toolUseAt(run, turn, index, ports.messages);
  ports.telemetry.add?.({ toolUseId: toolUse.toolUseId });
  const digest = callDigest(toolUse.name, withoutRidingSelection(ports.tools.find(toolUse.name), toolUse.input));
  const call: ToolCall = { run, turn, index, toolUse, digest };
  const outcome = fittingOutcome(await carryOut(call, ports));
  const { outcome: standing } = await ports.outcomes.record(runId, toolOutcomeKey(turn, index), outcome);
  ports.telemetry.count('ToolCall', 1, { tool: toolUseName(standing, ports.tools), reason: standing.status });
  ports.telemetry.decision('tool_call', {
    tool: toolUseName(standing, ports.tools),
    toolUseId: standing.toolUseId,
    status: standing.status,
    ref: standing.ref,
    oversize: standing.oversize,
  });
  return answer(standing);
}

async function carryOut(call: ToolCall, ports: RunToolPorts): Promise<ToolOutcome> {
  const gate = checkGate(call, ports);
  if ('refused' in gate) return { ...failedCall(call, gate.refused, ports), refused: true };
  const { tool, input, selection } = gate;
  if (tool.builtin === true) return builtinOutcome(call, tool, input, ports);

  const refresh = isObject(call.toolUse.input) && call.toolUse.input['refresh'] === true;
  const earlier = await earlierOversize(call, ports.outcomes);
  if (earlier.length > 0 && (!refresh || earlier.length > ports.settings.run.maxRefreshes)) {
    const repeated = await repeatAnswer(call, earlier, refresh, ports);
    if (repeated !== undefined) {
      noteRepeat(call, earlier, refresh, ports.telemetry);
      return repeated;
    }
  }
  const reused = refresh ? undefined : await reusedOutcome(call, tool, selection, ports);
  if (reused !== undefined) return reused;
  const supersedes = await supersededVersion(call, ports);
  const keepAs = (result: ToolResult, resultId: string, availableUntil: string, reported?: unknown): KeepRequest => ({
    run: call.run,
    turn: call.turn,
    index: call.index,
    tool,
    result,
    input,
    resultId,
    callDigest: call.digest,
    availableUntil,
    supersedes,
    ...(reported === undefined ? {} : { reported }),
  });
  const nothing: ToolResult = { status: 'success', content: [] };
  const executed = await executeTool(call, tool, input, ports, (resultId) =>
    recallResult(keepAs(nothing, resultId, retentionEnd(ports)), ports),
  );
  if (executed.kind === 'failed') {
    if (executed.oversize) await recordOversize(call, { ref: null, note: executed.message }, ports);
    await noteFailedRefresh(call, supersedes, executed.code, ports);
    return failedCall(call, `${executed.code}: ${executed.message}`, ports, executed.oversize);
  }
  const kept =
    executed.kind === 'recalled'
      ? executed.kept
      : await keepResult(keepAs(executed.result, executed.resultId, executed.availableUntil, executed.reported), ports);
  if (kept.oversize && kept.stored !== null) await recordOversize(call, { ref: kept.stored.ref }, ports);
  if (kept.status === 'error') await noteFailedRefresh(call, supersedes, 'ToolFailed', ports);
  const answered =
    selection === null ? { content: kept.content } : await answerWithSelection(call, kept, selection, ports);
  return {
    toolUseId: call.toolUse.toolUseId,
    tool: tool.name,
    status: kept.status,
    ...answered,
    ref: kept.stored?.ref ?? null,
    callDigest: call.digest,
    oversize: kept.oversize,
    at: ports.clock.now().toISOString(),
  };
}

/** The platform's own tools answer for themselves: what they deliver is bounded by them and never stored again. */
async function builtinOutcome(
  call: ToolCall,
  tool: ToolDefinition,
  input: JsonObject,
  ports: RunToolPorts,
): Promise<ToolOutcome> {
  const executed = await executeTool(call, tool, input, ports);
  if (executed.kind !== 'answered') {
    const said = executed.kind === 'failed' ? `${executed.code}: ${executed.message}` : 'ToolFailed';
    return failedCall(call, said, ports);
  }
  const { result, delivered } = executed;
  return {
    toolUseId: call.toolUse.toolUseId,
    tool: tool.name,
    status: result.status,
    content: result.content,
    ref: null,
    callDigest: call.digest,
    oversize: false,
    at: ports.clock.now().toISOString(),
    ...(delivered === undefined ? {} : { delivered }),
  };
}

/** Unknown tools, tools without a function, tools closed to the run's roles and inputs that play the platform. */
function checkGate(
  { run, toolUse }: ToolCall,
  ports: RunToolPorts,
):
  | { readonly tool: ToolDefinition; readonly input: JsonObject; readonly selection: Selection | null }
  | { readonly refused: string } {
  const tool = ports.tools.find(toolUse.name);
  if (tool === undefined || !Object.hasOwn(ports.functions, tool.name)) {
    ports.telemetry.count('Refusal', 1, { code: 'UnknownTool' });
    return { refused: 'UnknownTool: there is no tool of this name' };
  }
  if (!allowed(tool, run.roles)) {
    ports.telemetry.count('Refusal', 1, { code: 'Forbidden', tool: tool.name });
    return { refused: `Forbidden: ${tool.name} is not open to this run` };
  }
  if (!isObject(toolUse.input)) return { refused: `InvalidInput: ${tool.name} takes an object` };
  const input = toolUse.input;
  const declared = declaredKeys(tool);
  const words = tool.builtin === true ? [...platformKeys, 'toolUseId'] : platformKeys;
  const forged = words.filter((key) => Object.hasOwn(input, key) && !declared.has(key));
  if (forged.length > 0) {
    ports.telemetry.count('Refusal', 1, { code: 'InvalidInput', tool: tool.name });
    return { refused: `InvalidInput: ${forged.join(', ')} cannot be given; the platform knows them` };
  }
  const { refresh: _refresh, ...rest } = input;
  try {
    return { tool, ...takeRidingSelection(tool, declared.has('refresh') ? input : rest) };
  } catch (error) {
    if (!(error instanceof ClaimcheckError)) throw error;
    return { refused: `${error.code}: ${error.message}` };
  }
}

/** Parameters that a tool of its own declares; the platform's own tools may declare none of the platform's words. */
function declaredKeys(tool: ToolDefinition): ReadonlySet<string> {
  const properties = tool.inputSchema['properties'];
  return new Set(tool.builtin === true || !isObject(properties) ? [] : Object.keys(properties));
}

async function toolUseAt(run: Run, turn: number, index: number, messages: RunMessages): Promise<ToolUseBlock> {
  const message = await messages.find(run.runId, turn, 'assistant');
  const uses = (message?.content ?? []).filter((block): block is ToolUseBlock => 'toolUse' in block);
  const use = uses[index];
  if (use === undefined) {
    throw new ClaimcheckError('NotFound', 'tool call: the run has none at this turn and index', { turn, index });
  }
  return use;
}

function failedCall(call: ToolCall, text: string, ports: RunToolPorts, oversize = false): ToolOutcome {
  return {
    toolUseId: call.toolUse.toolUseId,
    tool: call.toolUse.name,
    status: 'error',
    content: [{ text }],
    ref: null,
    callDigest: call.digest,
    oversize,
    at: ports.clock.now().toISOString(),
  };
}

/** A name that the model made up is content: it stays out of logs and metrics. */
function toolUseName(outcome: ToolOutcome, tools: ToolCatalogue): string {
  return tools.find(outcome.tool)?.name ?? 'unknown';
}

function answer(outcome: ToolOutcome): RunToolResult {
  return { outcome: 'ok', status: outcome.status, ref: outcome.ref };
}
