import type {
  ContentBlockDelta,
  ContentBlockStart,
  ConverseStreamOutput,
  TokenUsage,
} from '@aws-sdk/client-bedrock-runtime';
import type { MessageBlock } from '../core/content/block.ts';
import type { JsonValue } from '../core/json.ts';
import { type ModelReply, ModelServiceError } from '../core/model/model.ts';
import { modelUsage } from './bedrock-model.ts';

interface OpenBlock {
  text: string;
  toolUse: { readonly toolUseId: string; readonly name: string } | undefined;
  input: string;
  reasoning: { text: string; signature: string | undefined; redacted: Uint8Array[] } | undefined;
}

/** Puts the events of one ConverseStream answer together to what Converse would have answered. */
export class StreamedMessage {
  readonly #blocks = new Map<number, OpenBlock>();
  #stopReason: string | undefined;
  #usage: TokenUsage | undefined;

  add(event: ConverseStreamOutput): void {
    if (event.contentBlockStart !== undefined)
      this.#start(event.contentBlockStart.contentBlockIndex, event.contentBlockStart.start);
    else if (event.contentBlockDelta !== undefined)
      this.#delta(event.contentBlockDelta.contentBlockIndex, event.contentBlockDelta.delta);
    else if (event.messageStop !== undefined) this.#stopReason = event.messageStop.stopReason;
    else if (event.metadata !== undefined) this.#usage = event.metadata.usage;
  }

  /** Throws `ModelServiceError` for a stream that broke off, or holds a tool's input that is no JSON. */
  reply(): ModelReply {
    const stopReason = this.#stopReason;
    if (stopReason === undefined) throw broken('the stream ended before the message did');
    const content = [...this.#blocks]
      .sort(([one], [other]) => one - other)
      .flatMap(([, block]) => finished(block, stopReason));
    return { message: { role: 'assistant', content }, stopReason, usage: modelUsage(this.#usage) };
  }

  #block(index: number | undefined): OpenBlock {
    const at = index ?? 0;
    const block = this.#blocks.get(at) ?? { text: '', toolUse: undefined, input: '', reasoning: undefined };
    this.#blocks.set(at, block);
    return block;
  }

  #start(index: number | undefined, start: ContentBlockStart | undefined): void {
    const block = this.#block(index);
    if (start?.toolUse === undefined) return;
    block.toolUse = { toolUseId: start.toolUse.toolUseId ?? '', name: start.toolUse.name ?? '' };
  }

  #delta(index: number | undefined, delta: ContentBlockDelta | undefined): void {
    const block = this.#block(index);
    if (delta?.text !== undefined) block.text += delta.text;
    else if (delta?.toolUse !== undefined) block.input += delta.toolUse.input ?? '';
    else if (delta?.reasoningContent !== undefined) {
      const reasoning = block.reasoning ?? { text: '', signature: undefined, redacted: [] };
      block.reasoning = reasoning;
      const { text, signature, redactedContent } = delta.reasoningContent;
      if (text !== undefined) reasoning.text += text;
      else if (signature !== undefined) reasoning.signature = (reasoning.signature ?? '') + signature;
      else if (redactedContent !== undefined) reasoning.redacted.push(redactedContent);
    }
  }
}

function finished(block: OpenBlock, stopReason: string): readonly MessageBlock[] {
  const { reasoning, toolUse } = block;
  if (reasoning !== undefined) {
    if (reasoning.redacted.length > 0) {
      return [{ reasoningContent: { redactedContent: new Uint8Array(Buffer.concat(reasoning.redacted)) } }];
    }
    const { text, signature } = reasoning;
    return [{ reasoningContent: { reasoningText: { text, ...(signature === undefined ? {} : { signature }) } } }];
  }
  if (toolUse === undefined) return block.text === '' ? [] : [{ text: block.text }];
  try {
    return [{ toolUse: { ...toolUse, input: JSON.parse(block.input === '' ? '{}' : block.input) as JsonValue } }];
  } catch {
    // An input that the limit of output cut off is no call: with what is left of it, another one would be made.
    if (stopReason === 'max_tokens') return [];
    throw broken('the input of a tool is not valid JSON');
  }
}

function broken(what: string): ModelServiceError {
  return new ModelServiceError('ModelStreamErrorException', what, true);
}
