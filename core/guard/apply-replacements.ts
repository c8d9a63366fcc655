import type { ContentBlock, Message, MessageBlock } from '../content/block.ts';
import { contentDigest } from './content-digest.ts';
import { type Replacement, replacementBlocks } from './replacements.ts';

/** Replacements by the tool-use id that they stand under; a few ids have more than one. */
export type ReplacementSet = ReadonlyMap<string, readonly Replacement[]>;

export function replacementSet(replacements: readonly Replacement[]): ReplacementSet {
  const set = new Map<string, Replacement[]>();
  for (const replacement of replacements) {
    const same = set.get(replacement.toolUseId);
    if (same === undefined) set.set(replacement.toolUseId, [replacement]);
    else same.push(replacement);
  }
  return set;
}

const digests = new WeakMap<readonly ContentBlock[], string>();

/** Digest of a result's content, remembered: content never changes once made. */
export function rememberedDigest(content: readonly ContentBlock[]): string {
  const known = digests.get(content) ?? contentDigest(content);
  digests.set(content, known);
  return known;
}

export function isMedia(block: ContentBlock): boolean {
  return !('text' in block) && !('json' in block);
}

/**
 * Copies of messages in which known results are replaced. Originals are never touched; the copy of one message for one
 * set of replacements is made once, so that later requests hold the same objects and the same bytes. Reasoning blocks
 * behind the first replaced message are left out: their signature covers what stood before (Bedrock's
 * ReasoningTextBlock: "if the previous messages are tampered with, the response throws an error").
 */
export class ReplacedMessages {
  readonly #copies = new WeakMap<
    Message,
    { readonly used: readonly Replacement[]; readonly bare: boolean; readonly copy: Message }
  >();

  /** The very same array when nothing in it is replaced. */
  apply(messages: readonly Message[], set: ReplacementSet): readonly Message[] {
    if (set.size === 0) return messages;
    let changed = false;
    const applied = messages.map((message) => {
      const used = usedIn(message, set);
      const bare = changed && message.content.some((block) => 'reasoningContent' in block);
      if (used.length > 0) changed = true;
      return used.length === 0 && !bare ? message : this.#copy(message, used, bare);
    });
    return changed ? applied : messages;
  }

  #copy(message: Message, used: readonly Replacement[], bare: boolean): Message {
    const known = this.#copies.get(message);
    if (
      known !== undefined &&
      known.bare === bare &&
      known.used.length === used.length &&
      known.used.every((replacement, at) => same(replacement, used[at]))
    ) {
      return known.copy;
    }
    const content = message.content.flatMap((block): MessageBlock[] => {
      if (bare && 'reasoningContent' in block) return [];
      if (!('toolResult' in block)) return [block];
      const replacement = matching(block.toolResult, used);
      return [replacement === undefined ? block : replacedBlock(block, replacement)];
    });
    const copy: Message = {
      role: message.role,
      content: content.length > 0 ? content : [{ text: '(reasoning left out)' }],
    };
    this.#copies.set(message, { used, bare, copy });
    return copy;
  }
}

function replacedBlock(block: Extract<MessageBlock, { toolResult: unknown }>, replacement: Replacement): MessageBlock {
  const media = block.toolResult.content.filter(isMedia);
  return { toolResult: { ...block.toolResult, content: [...replacementBlocks(replacement), ...media] } };
}

function usedIn(message: Message, set: ReplacementSet): readonly Replacement[] {
  if (message.role !== 'user') return [];
  return message.content.flatMap((block) => {
    if (!('toolResult' in block)) return [];
    const candidates = set.get(block.toolResult.toolUseId);
    const found = candidates === undefined ? undefined : matching(block.toolResult, candidates);
    return found === undefined ? [] : [found];
  });
}

function matching(
  result: { readonly toolUseId: string; readonly content: readonly ContentBlock[] },
  candidates: readonly Replacement[],
): Replacement | undefined {
  const same = candidates.filter((candidate) => candidate.toolUseId === result.toolUseId);
  return same.length === 0
    ? undefined
    : same.find((candidate) => candidate.digest === rememberedDigest(result.content));
}

function same(one: Replacement, other: Replacement | undefined): boolean {
  return one.toolUseId === other?.toolUseId && one.digest === other.digest;
}
