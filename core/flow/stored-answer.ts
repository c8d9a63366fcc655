import { findReusable } from '../catalogue/reuse.ts';
import type { ContentBlock } from '../content/block.ts';
import { ClaimcheckError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { applyRidingSelection, ridingContent, ridingKey } from '../read/riding-selection.ts';
import { parseSelection, type Selection } from '../read/selection.ts';
import type { ToolOutcome } from '../run/outcomes.ts';
import { dataReference } from '../store/data-reference.ts';
import type { KeepPorts, Kept } from '../store/keeping.ts';
import { profileRoom } from '../store/scan-facts.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { passesGates, type ToolCatalogue, type ToolDefinition } from '../tool/tool-definition.ts';
import type { ToolCall } from './execute-tool.ts';

type Ports = KeepPorts & { readonly tools: ToolCatalogue };

/** Kept free in a reused answer's budget for the data reference behind the records; half of a budget at most. */
const referenceBytes = 6 * 1024;

/**
 * What the model gets of a call on which a selection rode: that selection of the result just stored, in place of the
 * preview. A result too small to be stored is there whole already. A selection that cannot be read (an unknown field)
 * is said beside the preview: the tool was executed, and its result is not lost to a slip.
 */
export async function answerWithSelection(
  call: ToolCall,
  kept: Kept,
  selection: Selection,
  ports: Ports,
): Promise<Pick<ToolOutcome, 'content' | 'delivered'>> {
  if (kept.stored === null || kept.status === 'error') return { content: kept.content };
  try {
    const { session, id } = place(kept.stored.ref);
    const index = await ports.store.readIndex({ owner: call.run.owner, session, id });
    if (index === undefined) return { content: kept.content };
    const version = { version: index.version ?? 1, supersedes: index.supersedes ?? null };
    const answer = await applyRidingSelection({ index, owner: call.run.owner, ...version }, selection, ports);
    ports.telemetry.decision('selection_rode', { ref: index.ref, loaded: answer.coverage.loaded });
    return { content: ridingContent(kept.content, answer), delivered: answer.delivered };
  } catch (error) {
    if (!(error instanceof ClaimcheckError)) throw error;
    const said: ContentBlock = {
      text: `${ridingKey}: ${error.code}: ${error.message}. A preview stands here instead.`,
    };
    return { content: [said, ...kept.content] };
  }
}

/**
 * The outcome of a call that a stored result answers instead of an execution: only for tools marked `reuse` and a
 * result of the same owner and scope that is young enough and still held (DESIGN 9). Says that nothing was executed
 * and of when the result is; `undefined` when the tool has to be executed.
 */
export async function reusedOutcome(
  call: ToolCall,
  tool: ToolDefinition,
  selection: Selection | null,
  ports: Ports,
): Promise<ToolOutcome | undefined> {
  try {
    return await reuse(call, tool, selection, ports);
  } catch (error) {
    // A stored copy that cannot be found or read is no reason to fail a call that can be made.
    if (error instanceof ClaimcheckError) return undefined;
    throw error;
  }
}

async function reuse(
  call: ToolCall,
  tool: ToolDefinition,
  selection: Selection | null,
  ports: Ports,
): Promise<ToolOutcome | undefined> {
  const { run } = call;
  const now = ports.clock.now();
  const scope = { owner: run.owner, session: run.session, tool: tool.name, argumentDigest: call.digest };
  const entry = await findReusable(tool, { ...scope, rolesDigest: run.rolesDigest, now }, ports);
  // A view or a gate that was narrowed since closes what was stored before, without another version of the tool.
  if (entry === undefined || !passesGates(ports.tools, entry.gates, run.roles)) return undefined;
  const index = await ports.store.readIndex({ owner: run.owner, ...place(entry.ref) });
  if (index === undefined) return undefined;
  const stored = { index, owner: run.owner, version: entry.version, supersedes: entry.supersedes };
  const note = `Not executed: this is version ${entry.version} of the same call's result, acquired at ${entry.acquiredAt}. To execute it again, call it with "refresh": true.`;
  const budget = Math.min(tool.budgetBytes, ports.settings.insert.maxBytes);
  const maxBytes = Math.min(referenceBytes, Math.floor(budget / 2));
  const room = selection === null ? Math.max(0, budget - maxBytes - Buffer.byteLength(note, 'utf8')) : null;
  const answer = await applyRidingSelection(stored, selection ?? parseSelection({}), ports, room);
  await ports.grants.give(run.runId, { ref: entry.ref, via: 'session', grantedAt: now.toISOString() });
  noteReuse(call, entry.ref, ports.telemetry);
  const reference = dataReference(index, {
    baseUrl: ports.baseUrl,
    coverage: answer.coverage,
    maxBytes,
    profileBytes: profileRoom(tool, ports.settings),
  });
  return {
    toolUseId: call.toolUse.toolUseId,
    tool: tool.name,
    status: 'success',
    content: [{ text: note }, { text: answer.text }, reference],
    ref: entry.ref,
    callDigest: call.digest,
    oversize: false,
    at: now.toISOString(),
    delivered: answer.delivered as JsonValue,
  };
}

/** The line and the metric of a call that is not executed: no attempt was made. */
function noteReuse({ run, toolUse }: ToolCall, ref: string, telemetry: Telemetry): void {
  telemetry.count('ToolRetry', 0, { tool: toolUse.name, reason: 'reuse' });
  const facts = { runId: run.runId, tool: toolUse.name, toolUseId: toolUse.toolUseId, attempt: 0 };
  telemetry.decision('reused', { ...facts, reason: 'reuse', ref });
}

function place(ref: string): { readonly session: string; readonly id: string } {
  return { session: ref.slice(0, 32), id: ref.slice(33) };
}
