import type { ContentBlock, Message } from '../content/block.ts';
import { ClaimcheckError } from '../errors.ts';
import { blockTokens } from '../guard/estimate.ts';
import { Guard, type GuardPlace } from '../guard/guard.ts';
import { isOverflow } from '../guard/overflow.ts';
import { type ModelRequest, ModelServiceError, type ModelToolSpec } from '../model/model.ts';
import type { Run } from '../run/run.ts';
import { processPutAway } from './process-put-away.ts';
import type { References } from './references.ts';

/** How a framework's messages are read, and how a copy of one with other results is made. */
export interface MessageCodec<M extends object> {
  /** Null for what is no turn of the conversation (a system message). */
  read(message: M): Message | null;
  /** A copy: the results named by position among its tool results, and, when `bare`, without reasoning. */
  write(message: M, change: { readonly results: ReadonlyMap<number, string>; readonly bare: boolean }): M;
}

export interface GuardedRequest<M extends object> {
  readonly messages: readonly M[];
  readonly system: string;
  readonly tools: readonly ModelToolSpec[];
}

export interface GuardedAttempts<M extends object> {
  first(): Promise<readonly M[]>;
  /** Throws the error again unless it says "too long", and at the second time. */
  afterOverflow(error: unknown): Promise<readonly M[]>;
}

export interface GuardLimits {
  readonly modelId?: string;
  readonly windowTokens: number;
  readonly maxTokens: number;
}

/**
 * The guard for the messages of a framework (DESIGN 8): under the trigger the very same list goes on; over it, a copy in
 * which the largest results are replaced; after "too long", once more. The framework's own list is never touched.
 */
export class ConversationGuard {
  readonly #references: References;
  readonly #limits: GuardLimits;
  readonly #runs = new Map<string, Guard>();
  readonly #read = new WeakMap<object, ReadMessage | null>();
  #fixed: Pick<ModelRequest, 'system' | 'tools'> & { readonly key: string } = { key: '', system: [], tools: [] };

  constructor(references: References, limits: GuardLimits) {
    this.#references = references;
    this.#limits = limits;
  }

  /** Sends a request that fits. Throws what `send` throws; `ContextOverflow` when nothing is left to shrink. */
  async call<M extends object, R>(
    run: Run,
    request: GuardedRequest<M>,
    codec: MessageCodec<M>,
    send: (messages: readonly M[]) => Promise<R>,
  ): Promise<R> {
    const attempts = this.attempts(run, request, codec);
    const first = await attempts.first();
    try {
      return await send(first);
    } catch (error) {
      return send(await attempts.afterOverflow(error));
    }
  }

  /** The same for frames that send by themselves: what to send first, and what after a refusal. */
  attempts<M extends object>(run: Run, request: GuardedRequest<M>, codec: MessageCodec<M>): GuardedAttempts<M> {
    const guard = this.#guard(run.runId);
    const { core, positions, mediaTokens } = this.#convert(request, codec);
    const place = this.#place(run, core.messages, mediaTokens);
    const messages = (fitted: ModelRequest) =>
      written(request.messages, core.messages, fitted.messages, positions, codec);
    let sent: Awaited<ReturnType<Guard['fit']>> | undefined;
    return {
      first: async () => {
        sent = await guard.fit(core, place);
        return messages(sent.request);
      },
      afterOverflow: async (error) => {
        const refused = sent;
        if (refused === undefined || !saysTooLong(error)) throw error;
        sent = undefined;
        const { telemetry } = this.#references.ports;
        telemetry.count('OverflowRetry');
        telemetry.decision('overflow_retry', { runId: run.runId, estimate: refused.estimate });
        return messages((await guard.fitAfterOverflow(core, refused, place)).request);
      },
    };
  }

  #guard(runId: string): Guard {
    const guard = this.#runs.get(runId) ?? new Guard(this.#references.ports);
    this.#runs.delete(runId);
    this.#runs.set(runId, guard);
    const oldest = this.#runs.keys().next().value;
    if (this.#runs.size > 200 && oldest !== undefined) this.#runs.delete(oldest);
    return guard;
  }

  #place(run: Run, messages: readonly Message[], mediaTokens: number): GuardPlace {
    const putAway = processPutAway(run, messages, this.#references);
    return { runId: run.runId, turn: 0, windowTokens: this.#limits.windowTokens - mediaTokens, putAway };
  }

  #convert<M extends object>(
    request: GuardedRequest<M>,
    codec: MessageCodec<M>,
  ): { readonly core: ModelRequest; readonly positions: readonly number[]; readonly mediaTokens: number } {
    const messages: Message[] = [];
    const positions: number[] = [];
    let mediaTokens = 0;
    for (const [at, message] of request.messages.entries()) {
      const known = this.#read.get(message);
      const read = known === undefined ? withoutMedia(codec.read(message)) : known;
      this.#read.set(message, read);
      if (read === null) continue;
      messages.push(read.message);
      mediaTokens += read.mediaTokens;
      positions.push(at);
    }
    const key = JSON.stringify([request.system, request.tools]);
    if (key !== this.#fixed.key) {
      this.#fixed = { key, system: request.system === '' ? [] : [{ text: request.system }], tools: request.tools };
    }
    const { system, tools } = this.#fixed;
    const { modelId = '', maxTokens } = this.#limits;
    return { core: { modelId, system, tools, messages, cacheTools: false, maxTokens }, positions, mediaTokens };
  }
}

interface ReadMessage {
  readonly message: Message;
  /** Of what is not in the message any more. */
  readonly mediaTokens: number;
}

/**
 * Images and files beside a result stay when its words are taken out: what they cost is no part of what a replacement
 * saves, but of the window that is not there for anything else.
 */
function withoutMedia(message: Message | null): ReadMessage | null {
  if (message === null) return null;
  let mediaTokens = 0;
  const content = message.content.map((block) => {
    if (!('toolResult' in block)) return block;
    const words = block.toolResult.content.filter((part) => 'text' in part || 'json' in part);
    const media = block.toolResult.content.filter((part) => !('text' in part || 'json' in part));
    if (media.length === 0) return block;
    for (const part of media) mediaTokens += blockTokens(part);
    const said = words.length === 0 ? [{ text: '[files]' }] : words;
    return { toolResult: { ...block.toolResult, content: said } };
  });
  return { message: mediaTokens === 0 ? message : { ...message, content }, mediaTokens };
}

/** The framework's messages with the guard's replacements written into copies; the same list when there are none. */
function written<M extends object>(
  originals: readonly M[],
  before: readonly Message[],
  after: readonly Message[],
  positions: readonly number[],
  codec: MessageCodec<M>,
): readonly M[] {
  if (after === before) return originals;
  const standing = new Map<string, (readonly ContentBlock[])[]>();
  for (const { toolResult } of after.flatMap(results)) {
    standing.set(toolResult.toolUseId, [...(standing.get(toolResult.toolUseId) ?? []), toolResult.content]);
  }
  let changed = false;
  const copies = [...originals];
  for (const [at, message] of before.entries()) {
    const replaced = new Map<number, string>();
    for (const [number, { toolResult }] of results(message).entries()) {
      const now = standing.get(toolResult.toolUseId)?.shift();
      if (now !== undefined && now !== toolResult.content) replaced.set(number, joinedText(now));
    }
    const bare = changed && message.content.some((block) => 'reasoningContent' in block);
    if (replaced.size > 0) changed = true;
    if (replaced.size === 0 && !bare) continue;
    const position = positions[at] as number;
    copies[position] = codec.write(originals[position] as M, { results: replaced, bare });
  }
  return changed ? copies : originals;
}

function results(message: Message) {
  return message.content.flatMap((block) => ('toolResult' in block ? [block] : []));
}

/** The text that stands for replaced blocks, for frames whose results are one text. */
export function joinedText(content: readonly ContentBlock[]): string {
  return content
    .flatMap((block) => ('text' in block ? [block.text] : 'json' in block ? [JSON.stringify(block.json)] : []))
    .join('\n');
}

/** Frameworks raise it in classes of their own, or hand on what the service said. */
function saysTooLong(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ClaimcheckError) return false;
  if (/context(?:window)?overflow/i.test(error.name)) return true;
  return isOverflow(new ModelServiceError('ValidationException', error.message, false));
}
