import { createHash } from 'node:crypto';
import type { Message } from '../content/block.ts';
import type { ModelRequest } from '../model/model.ts';
import { stableText } from './content-digest.ts';

/** The provider's count of a request that was answered: it stands for the same prefix of a later one (DESIGN 8). */
export interface Anchor {
  /** Messages of that request. */
  readonly messages: number;
  /** Digest over model, system, tools and those messages as sent. */
  readonly digest: string;
  /** `inputTokens + cacheReadInputTokens + cacheWriteInputTokens`. */
  readonly tokens: number;
}

const known = new WeakMap<Message, string>();

/** SHA-256 (hex) over model, system, tools and the first `messages` messages; anything else in one byte is another. */
export function prefixDigest(
  request: Pick<ModelRequest, 'modelId' | 'system' | 'tools' | 'messages'>,
  messages: number,
): string {
  const hash = createHash('sha256')
    .update(request.modelId)
    .update(stableText([request.system, request.tools]));
  for (let at = 0; at < messages; at += 1) hash.update(messageDigest(request.messages[at] as Message));
  return hash.digest('hex');
}

function messageDigest(message: Message): string {
  const digest = known.get(message) ?? createHash('sha256').update(stableText(message)).digest('hex');
  known.set(message, digest);
  return digest;
}
