import type { JsonBlock } from '../content/block.ts';
import type { Coverage } from '../coverage/coverage.ts';
import { ClaimcheckError } from '../errors.ts';
import { parseReference } from '../reference/reference.ts';
import type { Outcomes, ToolOutcome } from '../run/outcomes.ts';
import { dataReference } from '../store/data-reference.ts';
import type { KeepPorts } from '../store/keeping.ts';
import type { ResultIndex } from '../store/result-index.ts';
import type { ResultStore } from '../store/result-store.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';
import type { ToolCall } from './execute-tool.ts';

/** One execution of an oversize call in this run: the version it made, or why it made none. */
export interface OversizeVersion {
  readonly ref: string | null;
  readonly at: string;
  readonly note?: string;
}

const prefixOf = (digest: string): string => `oversize/${digest}/`;

/** What earlier executions of this very call came to in this run, oldest first. */
export async function earlierOversize(call: ToolCall, outcomes: Outcomes): Promise<readonly OversizeVersion[]> {
  const found = await outcomes.list<OversizeVersion>(call.run.runId, prefixOf(call.digest));
  return found.map(({ outcome }) => outcome);
}

/** Remembers an oversize call under its own place, so that a repeated event adds no second version. */
export async function recordOversize(
  call: ToolCall,
  made: { readonly ref: string | null; readonly note?: string },
  ports: { readonly outcomes: Outcomes; readonly clock: Clock },
): Promise<void> {
  const version: OversizeVersion = { ...made, at: ports.clock.now().toISOString() };
  await ports.outcomes.record(call.run.runId, `${prefixOf(call.digest)}${call.turn}/${call.index}`, version);
}

/** The line and the metric of a repeat that is not executed; `attempt` counts the executions that there were. */
export function noteRepeat(
  { run, toolUse }: ToolCall,
  earlier: readonly OversizeVersion[],
  refresh: boolean,
  telemetry: Telemetry,
): void {
  const reason = refresh ? 'refresh_limit' : 'repeat';
  telemetry.count('ToolRetry', 0, { tool: toolUse.name, reason });
  telemetry.decision('repeat_not_executed', {
    runId: run.runId,
    tool: toolUse.name,
    toolUseId: toolUse.toolUseId,
    attempt: earlier.length,
    reason,
    refresh,
  });
}

/**
 * The answer to a repeat that is not executed (DESIGN 9): which version there is, of what date, how to narrow, and its
 * data reference, with nothing of it shown. It is never presented as fresh. Undefined when the stored copy is gone: then
 * the call can be made.
 */
export async function repeatAnswer(
  call: ToolCall,
  earlier: readonly OversizeVersion[],
  refresh: boolean,
  ports: Pick<KeepPorts, 'store' | 'clock' | 'settings' | 'baseUrl'>,
): Promise<ToolOutcome | undefined> {
  const kept = earlier.findLast((version) => version.ref !== null);
  const base = { toolUseId: call.toolUse.toolUseId, tool: call.toolUse.name, callDigest: call.digest, oversize: true };
  const at = ports.clock.now().toISOString();
  if (kept?.ref == null) {
    const last = earlier.at(-1);
    const text = `Not executed again: the same call already failed in this run at ${last?.at}. ${last?.note ?? ''} Ask for less.`;
    return { ...base, at, status: 'error', content: [{ text }], ref: null };
  }
  const index = await storedIndex(call, kept.ref, ports.store);
  if (index === undefined) return undefined;
  const again = refresh
    ? 'It was refreshed as often as one run may.'
    : 'To execute it again, call it with "refresh": true.';
  const text =
    `Not executed again: the same call was made in this run at ${kept.at}, and its whole result is stored as ${kept.ref}. ` +
    `This is that stored version, not fresh data. Read parts of it with read_result (fields, offset, limit, ids). ${again}`;
  const reference = index === 'unknown' ? [] : [unseenReference(index, ports)];
  return { ...base, at, status: 'success', content: [{ text }, ...reference], ref: kept.ref };
}

async function storedIndex(
  call: ToolCall,
  ref: string,
  store: ResultStore,
): Promise<ResultIndex | undefined | 'unknown'> {
  const { session, id } = parseReference(ref);
  try {
    return await store.readIndex({ owner: call.run.owner, session, id });
  } catch (error) {
    // The store does not answer now: what it holds is told without its facts.
    if (error instanceof ClaimcheckError) return 'unknown';
    throw error;
  }
}

function unseenReference(
  index: ResultIndex,
  { settings, baseUrl }: Pick<KeepPorts, 'settings' | 'baseUrl'>,
): JsonBlock {
  const coverage: Coverage = {
    ...index.coverage,
    loaded: 0,
    next_offset: index.records > 0 ? 0 : null,
    selection_complete: false,
    input_complete: index.population === 'open' ? null : false,
    reasons: [...new Set([...index.coverage.reasons, 'byte_limit' as const])],
  };
  const { maxBytes, profileBytes } = settings.insert;
  return dataReference(index, { baseUrl, coverage, maxBytes: Math.floor(maxBytes / 2), profileBytes });
}
