import { createHash } from 'node:crypto';
import type { JsonValue } from '../../core/json.ts';
import { readConversation } from './conversation.ts';
import type { PromptCache } from './prompt-cache.ts';
import { refuseWhatTheServiceRefuses } from './refusals.ts';
import type { ConverseRequest, WireBlock } from './request.ts';
import { nextMove } from './script/index.ts';
import { blockTokens, countedPieces, sum } from './tokens.ts';

/** A Converse answer as it travels. */
export interface ConverseReply {
  readonly output: { readonly message: { readonly role: 'assistant'; readonly content: readonly WireBlock[] } };
  readonly stopReason: 'tool_use' | 'end_turn' | 'max_tokens';
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly totalTokens: number;
    readonly cacheReadInputTokens: number;
    readonly cacheWriteInputTokens: number;
  };
  readonly metrics: { readonly latencyMs: number };
}

/** Answers one request, or throws a `Refusal`. Apart from the cache's account it depends on the request alone. */
export function replyTo(request: ConverseRequest, windowTokens: number, cache: PromptCache): ConverseReply {
  refuseWhatTheServiceRefuses(request, windowTokens);
  const move = nextMove(readConversation(request));
  const digest = createHash('sha256').update(JSON.stringify(request.messages)).digest('hex');
  const content: WireBlock[] = [];
  if (move.say !== undefined) content.push({ text: move.say });
  const calls = 'call' in move ? move.call : [];
  calls.forEach(({ tool, input }, i) => {
    const toolUseId = `tooluse_${digest.slice(0, 20)}${i}`;
    content.push({ toolUse: { toolUseId, name: tool, input: input as JsonValue } });
  });
  const whole = sum(content.map(blockTokens));
  const cut = whole > request.maxTokens && calls.length === 0;
  const sent = cut ? [{ text: (move.say ?? '').slice(0, Math.max(1, request.maxTokens)) }] : content;
  const outputTokens = Math.min(whole, request.maxTokens);
  const input = cache.account(request.modelId, countedPieces(request));
  return {
    output: { message: { role: 'assistant', content: sent } },
    stopReason: cut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: {
      ...input,
      outputTokens,
      totalTokens: input.inputTokens + input.cacheReadInputTokens + input.cacheWriteInputTokens + outputTokens,
    },
    metrics: { latencyMs: 1 },
  };
}

/** The window that a model id names at its end, as in `scripted.model-v1:0:28k`; otherwise the default. */
export function windowOf(modelId: string, defaultTokens: number): number {
  const suffix = /:(\d+)k$/.exec(modelId);
  return suffix === null ? defaultTokens : Number(suffix[1]) * 1_000;
}
