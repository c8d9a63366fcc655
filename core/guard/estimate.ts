import type { ContentBlock, Message, MessageBlock } from '../content/block.ts';
import type { ModelRequest } from '../model/model.ts';
import { stableText } from './content-digest.ts';
import { mediaBlockTokens } from './media-tokens.ts';
import { textTokens } from './text-tokens.ts';

/**
 * What the service adds around the content, in tokens: role marks of a message, marks and ids of a block, and the
 * instructions that come with any tool (Anthropic documents up to 530).
 */
export const envelopeTokens = { message: 4, block: 3, tools: 530 } as const;

/** Blocks, messages, system prompts and tool lists never change once made, so what they cost is remembered by object. */
const known = new WeakMap<object, number>();

/** Estimated tokens of a block of a message, remembered. */
export function blockTokens(block: MessageBlock | ContentBlock): number {
  return known.get(block) ?? remembered(block, measuredBlock(block));
}

export function messageTokens(message: Message): number {
  const found = known.get(message);
  if (found !== undefined) return found;
  let tokens: number = envelopeTokens.message;
  for (const block of message.content) tokens += blockTokens(block);
  return remembered(message, tokens);
}

/** Everything of a request besides its messages: system, tool definitions. */
export function fixedTokens(request: Pick<ModelRequest, 'system' | 'tools'>): number {
  const system = known.get(request.system) ?? remembered(request.system, systemTokens(request.system));
  const tools = known.get(request.tools) ?? remembered(request.tools, toolTokens(request.tools));
  return system + tools;
}

/** Estimated tokens of the whole request as it is sent, rounded up (DESIGN 8). */
export function estimateRequest(request: Pick<ModelRequest, 'system' | 'tools' | 'messages'>): number {
  let tokens = fixedTokens(request);
  for (const message of request.messages) tokens += messageTokens(message);
  return Math.ceil(tokens);
}

function measuredBlock(block: MessageBlock | ContentBlock): number {
  const { block: around } = envelopeTokens;
  if ('text' in block) return around + textTokens(block.text);
  if ('json' in block) return around + textTokens(JSON.stringify(block.json) ?? '');
  if ('toolResult' in block) {
    let tokens = around + textTokens(block.toolResult.toolUseId);
    for (const part of block.toolResult.content) tokens += blockTokens(part);
    return tokens;
  }
  if ('toolUse' in block) {
    const { toolUseId, name, input } = block.toolUse;
    return around + textTokens(toolUseId) + textTokens(name) + textTokens(JSON.stringify(input) ?? '');
  }
  if ('cachePoint' in block) return 0;
  if ('reasoningContent' in block) return around + textTokens(stableText(block.reasoningContent) ?? '');
  return around + mediaBlockTokens(block);
}

function systemTokens(system: ModelRequest['system']): number {
  return system.reduce((sum, block) => sum + ('text' in block ? envelopeTokens.block + textTokens(block.text) : 0), 0);
}

function toolTokens(tools: ModelRequest['tools']): number {
  if (tools.length === 0) return 0;
  return tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum + envelopeTokens.block + textTokens(name) + textTokens(description) + textTokens(JSON.stringify(inputSchema)),
    envelopeTokens.tools as number,
  );
}

function remembered(object: object, tokens: number): number {
  known.set(object, tokens);
  return tokens;
}
