import type { ContentBlock, ToolUseBlock } from '../content/block.ts';
import { jsonText } from '../content/json-text.ts';
import { ClaimcheckError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { withoutRidingSelection } from '../read/riding-selection.ts';
import { checkRun, type FlowIdentity } from '../run/check-run.ts';
import type { RunMessages } from '../run/messages.ts';
import type { Attempts, Outcomes, ToolOutcome } from '../run/outcomes.ts';
import type { RunRecords } from '../run/run.ts';
import { keepResult } from '../store/keep-result.ts';
import type { KeepPorts, StoredFacts } from '../store/keeping.ts';
import { callDigest } from '../tool/call-digest.ts';
import { parseToolAnswer } from '../tool/tool-answer.ts';
import { allowed, type ToolCatalogue } from '../tool/tool-definition.ts';
import { noteFailedRefresh, supersededVersion } from './call-version.ts';
import { retentionEnd, type ToolCall } from './execute-tool.ts';
import { fittingOutcome } from './fitting-outcome.ts';
import { toolOutcomeKey } from './run-tool.ts';

export interface PostToolHookEvent {
  readonly runId: string;
  readonly turn: number;
  readonly index: number;
  readonly tool: string;
  readonly result: unknown;
  readonly flow: FlowIdentity;
}

export interface PostToolHookPorts extends KeepPorts {
  readonly runs: RunRecords;
  readonly messages: RunMessages;
  readonly outcomes: Outcomes;
  readonly attempts: Attempts;
  readonly tools: ToolCatalogue;
}

export interface PostToolHookResult {
  readonly outcome: 'ok';
  readonly status: 'success' | 'error';
  readonly content: readonly ContentBlock[];
  readonly stored: StoredFacts | null;
  readonly warnings: readonly string[];
}

/** What stands under the call's key: the outcome that `call-model` reads, and what the hook answered beside it. */
interface HookOutcome extends ToolOutcome {
  readonly stored: StoredFacts | null;
  readonly warnings: readonly string[];
}

/**
 * The hook for a flow that invokes its tools itself: takes the result once, keeps it, and gives back something small.
 * A result over `transport.stateMaxBytes` is an `OversizeResult` that names the ways without a state. A repeated event
 * answers the recorded outcome.
 */
export async function postToolHook(event: PostToolHookEvent, ports: PostToolHookPorts): Promise<PostToolHookResult> {
  const { runId, turn, index } = event;
  const run = await checkRun(runId, event.flow, {
    runs: ports.runs,
    clock: ports.clock,
    telemetry: ports.telemetry,
    maxAgeSeconds: ports.settings.run.maxAgeSeconds,
  });
  const key = toolOutcomeKey(turn, index);
  const recorded = await ports.outcomes.find<HookOutcome>(runId, key);
  if (recorded !== undefined) return answer(recorded);
  checkSize(event.result, ports.settings.transport.stateMaxBytes);

  const tool = ports.tools.find(event.tool);
  if (tool === undefined) throw new ClaimcheckError('UnknownTool', 'tool: there is no tool of this name');
  if (!allowed(tool, run.roles)) {
    ports.telemetry.count('Refusal', 1, { code: 'Forbidden', tool: tool.name });
    throw new ClaimcheckError('Forbidden', `tool: ${tool.name} is not open to this run`);
  }
  const toolUse = await toolUseOf(event, ports.messages);
  ports.telemetry.add?.({ toolUseId: toolUse.toolUseId });
  const digest = callDigest(tool.name, withoutRidingSelection(tool, toolUse.input));
  const call: ToolCall = { run, turn, index, toolUse, digest };
  const base = {
    toolUseId: toolUse.toolUseId,
    tool: tool.name,
    callDigest: digest,
    at: ports.clock.now().toISOString(),
  };
  // The same versions as by `run-tool`: of one call in one session, whichever way it was made.
  const supersedes = await supersededVersion(call, ports);
  const parsed = parseToolAnswer(event.result);
  const kept =
    parsed.kind === 'malformed'
      ? failed(`ToolFailed: ${parsed.reason}`)
      : await keepResult(
          {
            run,
            turn,
            index,
            tool,
            result: parsed.result,
            input: toolUse.input,
            resultId: (await ports.attempts.claim(runId, turn, index)).resultId,
            callDigest: digest,
            availableUntil: retentionEnd(ports),
            supersedes,
            // A flow claims no id before it calls a tool: what a wrapper has stored by itself cannot be confirmed here,
            // and its beginning is not taken for the whole.
            ...(parsed.stored === undefined ? {} : { reported: parsed.stored }),
          },
          ports,
        );
  if (kept.status === 'error') await noteFailedRefresh(call, supersedes, 'ToolFailed', ports);
  const outcome: HookOutcome = {
    ...fittingOutcome(
      { ...base, status: kept.status, content: kept.content, ref: kept.stored?.ref ?? null, oversize: kept.oversize },
      // What goes back through the state is small, attachments included.
      ports.settings.transport.maxBytes,
    ),
    stored: kept.stored,
    warnings: kept.warnings,
  };
  const { outcome: standing } = await ports.outcomes.record(runId, key, outcome);
  ports.telemetry.count('ToolCall', 1, { tool: tool.name, reason: standing.status });
  ports.telemetry.decision('hooked', { tool: tool.name, toolUseId: base.toolUseId, ref: standing.ref });
  return answer(standing);
}

function checkSize(result: unknown, maxBytes: number): void {
  const bytes = Buffer.byteLength(jsonText(result as JsonValue), 'utf8');
  if (bytes <= maxBytes) return;
  throw new ClaimcheckError(
    'OversizeResult',
    `result: ${bytes} bytes through a state, at most ${maxBytes}; call the tool through run-tool, or wrap it with the library so that it stores its result itself`,
    { bytes, maxBytes },
  );
}

/** A result belongs to a tool call of the run's own message: the hook stores nothing that no model asked for. */
async function toolUseOf(event: PostToolHookEvent, messages: RunMessages): Promise<ToolUseBlock['toolUse']> {
  const message = await messages.find(event.runId, event.turn, 'assistant');
  const uses = (message?.content ?? []).filter((block): block is ToolUseBlock => 'toolUse' in block);
  const toolUse = uses[event.index]?.toolUse;
  if (toolUse === undefined) {
    throw new ClaimcheckError('NotFound', 'tool call: the run has none at this turn and index');
  }
  if (toolUse.name !== event.tool) {
    throw new ClaimcheckError('InvalidInput', 'tool: the run called another tool at this turn and index');
  }
  return toolUse;
}

function failed(text: string) {
  return { status: 'error' as const, content: [{ text }], stored: null, oversize: false, warnings: [] };
}

function answer({ status, content, stored, warnings }: HookOutcome): PostToolHookResult {
  return { outcome: 'ok', status, content: content.map(plain), stored: stored ?? null, warnings: warnings ?? [] };
}

/** An answer is JSON: bytes leave as base64, as Converse's own JSON has them. */
function plain(block: ContentBlock): ContentBlock {
  for (const kind of ['image', 'document', 'video'] as const) {
    const media = (block as Record<string, { source?: { bytes?: unknown } }>)[kind];
    if (media?.source?.bytes instanceof Uint8Array) {
      const bytes = Buffer.from(media.source.bytes).toString('base64');
      return { [kind]: { ...media, source: { bytes } } } as unknown as ContentBlock;
    }
  }
  return block;
}
