import type { MessageBlock } from '../content/block.ts';
import type { ModelSettings, ModelUsage } from '../model/model.ts';
import type { Settings } from '../settings.ts';

/** Bytes of text per token, on the safe side: what the guard estimates by (DESIGN 8). */
const bytesPerToken = 1.84;

/** What is known of the model call that asked for this read. */
export interface AskingCall {
  readonly usage: ModelUsage;
  /** The answer, with the tool uses that share the room. */
  readonly content: readonly MessageBlock[];
}

/**
 * Bytes that the next request has left for one read, shared among the tool calls of the turn: the guard's trigger less
 * what the last request and its answer took. Never less than `insert.maxBytes`, which any tool result may take: for
 * that much, the guard makes room by shrinking older results.
 */
export function requestRoom(
  call: AskingCall,
  model: Pick<ModelSettings, 'windowTokens' | 'maxTokens'>,
  settings: Pick<Settings, 'guard' | 'insert'>,
): number {
  const { usage } = call;
  const used = usage.inputTokens + usage.cacheReadInputTokens + usage.cacheWriteInputTokens + usage.outputTokens;
  const limit = (model.windowTokens - model.maxTokens) * settings.guard.triggerShare;
  const sharers = Math.max(1, call.content.filter((block) => 'toolUse' in block).length);
  return Math.max(settings.insert.maxBytes, Math.floor(((limit - used) * bytesPerToken) / sharers));
}
