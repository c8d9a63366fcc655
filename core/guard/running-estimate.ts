import type { Message } from '../content/block.ts';
import type { ModelRequest } from '../model/model.ts';
import { fixedTokens, messageTokens } from './estimate.ts';

type Parts = Pick<ModelRequest, 'modelId' | 'system' | 'tools' | 'messages'>;

/**
 * Estimates the requests of one conversation, each the one before with something at its end. Messages that stood in
 * the request before are recognised as the same objects, so a long history costs next to nothing again. Once the
 * provider has told what a request really had, that count stands for it and only what follows is estimated; it dies
 * when anything in that prefix is another object (DESIGN 8).
 */
export class RunningEstimate {
  #messages: readonly Message[] = [];
  /** Estimated tokens of the first n messages. */
  #sums: number[] = [0];
  #anchor: { readonly parts: Parts; readonly tokens: number } | undefined;

  of(request: Parts): number {
    const sum = this.#sumOf(request.messages);
    const anchor = this.#anchor;
    if (anchor !== undefined && this.#holds(anchor.parts, request)) {
      const count = anchor.parts.messages.length;
      // Sums of fractions are a little off; a whole token is not to be made of that.
      return Math.ceil(anchor.tokens + sum - (this.#sums[count] as number) - 1e-6);
    }
    return Math.ceil(fixedTokens(request) + sum);
  }

  /** The provider's own count of a request: `inputTokens + cacheReadInputTokens + cacheWriteInputTokens`. */
  anchorAt(request: Parts, tokens: number): void {
    this.#anchor = { parts: request, tokens };
  }

  #holds(anchored: Parts, request: Parts): boolean {
    const { messages } = anchored;
    if (
      anchored.modelId !== request.modelId ||
      anchored.system !== request.system ||
      anchored.tools !== request.tools
    ) {
      return false;
    }
    if (messages.length > request.messages.length) return false;
    for (let at = 0; at < messages.length; at += 1) if (messages[at] !== request.messages[at]) return false;
    return true;
  }

  #sumOf(messages: readonly Message[]): number {
    const before = this.#messages;
    const sums = this.#sums;
    const shared = Math.min(before.length, messages.length);
    let at = 0;
    while (at < shared && before[at] === messages[at]) at += 1;
    sums.length = at + 1;
    for (; at < messages.length; at += 1) sums.push((sums[at] as number) + messageTokens(messages[at] as Message));
    this.#messages = messages;
    return sums[messages.length] as number;
  }
}
