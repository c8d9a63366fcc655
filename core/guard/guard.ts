import type { ContentBlock, Message, ToolResultBlock } from '../content/block.ts';
import { ClaimcheckError } from '../errors.ts';
import type { ModelRequest } from '../model/model.ts';
import type { Settings } from '../settings.ts';
import { contentBytes } from '../store/content-size.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';
import { isMedia, ReplacedMessages, rememberedDigest, replacementSet } from './apply-replacements.ts';
import { blockTokens, estimateRequest } from './estimate.ts';
import type { Marker, Shown } from './marker.ts';
import { type Anchor, prefixDigest } from './prefix-digest.ts';
import { type Replacement, type Replacements, replacementBlocks } from './replacements.ts';
import { RunningEstimate } from './running-estimate.ts';
import { StepCheck } from './step-check.ts';
import { wholePrefix } from './whole-prefix.ts';

/** A tool result that the guard wants to take out of a request. */
export interface PutAwayRequest {
  readonly toolUseId: string;
  readonly status: 'success' | 'error';
  readonly content: readonly ContentBlock[];
  /** UTF-8 bytes of its text and JSON. */
  readonly bytes: number;
  /** It stands in the newest message: the model has just asked for it. */
  readonly latest: boolean;
  readonly shown: Shown;
}

/** Sees to it that what the guard takes out of a request stands in storage first (DESIGN 8). */
export interface PutAway {
  /** An answer of `read_result` or `analyze_result`: nothing of it is stored, it can be asked for again. */
  isSelection(toolUseId: string): boolean;
  /**
   * Confirms the stored copy, or stores one and confirms that, and answers the marker that names it. `unconfirmed`:
   * the storage did not answer; `impossible`: there is nothing that could be opened later. The result then stays.
   */
  keep(request: PutAwayRequest): Promise<Marker | 'unconfirmed' | 'impossible'>;
}

export interface GuardOptions {
  readonly settings: Pick<Settings, 'guard'>;
  readonly replacements: Replacements;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Where in a run a request is made, what its model can take, and what is known about its results. */
export interface GuardPlace {
  readonly runId: string;
  readonly turn: number;
  readonly windowTokens: number;
  readonly putAway: PutAway;
  /** The provider's count of an earlier request of this thread, made in another process. */
  readonly anchor?: Anchor | undefined;
}

/** A result smaller than this is never worth a marker, which is about as long. */
const leastBytes = 200;

interface Candidate {
  readonly block: ToolResultBlock;
  readonly tokens: number;
  readonly latest: boolean;
  /** A selection that the model has just asked for: taken only when nothing else is left, and then said so. */
  readonly last: boolean;
}

/** Tokens a request may have: the window less what the answer may take. */
export function tokenLimit(windowTokens: number, maxTokens: number): number {
  return Math.max(0, windowTokens - maxTokens);
}

/**
 * Fits requests into a model's window (DESIGN 8). Under the trigger it answers the very same object. Over it, it
 * replaces the largest results, in a copy, until under the low watermark; every replacement is made once per run and
 * repeated byte for byte. Throws `ContextOverflow` when nothing is left to shrink.
 */
export class Guard {
  readonly #options: GuardOptions;
  readonly #estimate = new RunningEstimate();
  readonly #replaced = new ReplacedMessages();
  readonly #steps = new StepCheck();
  /** Replacements of the run that was served last; a process may serve another one next. */
  #known: { readonly runId: string; readonly list: Replacement[] } | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** The request to send, and its estimate. */
  async fit(
    request: ModelRequest,
    place: GuardPlace,
  ): Promise<{ readonly request: ModelRequest; readonly estimate: number }> {
    const known = this.#known?.runId === place.runId ? this.#known.list : await this.#load(place.runId);
    const standing = this.#withKnown(request, known);
    if (place.anchor !== undefined) this.#remember(standing, place.anchor);
    const estimate = this.#estimate.of(standing);
    const limit = tokenLimit(place.windowTokens, request.maxTokens);
    const { triggerShare, lowShare } = this.#options.settings.guard;
    if (estimate <= limit * triggerShare) return { request: standing, estimate };
    const shrunk = await this.#shrink(standing, request, place, estimate, limit * lowShare);
    if (shrunk.estimate > limit) throw nothingLeft(shrunk.estimate, limit, shrunk.unconfirmed);
    return shrunk;
  }

  /**
   * After an overflow: takes more out, whatever the estimate says, since the service knows better. Throws
   * `ContextOverflow` when nothing is left.
   */
  async fitAfterOverflow(
    request: ModelRequest,
    refused: { readonly request: ModelRequest; readonly estimate: number },
    place: GuardPlace,
  ): Promise<{ readonly request: ModelRequest; readonly estimate: number }> {
    const limit = tokenLimit(place.windowTokens, request.maxTokens);
    const { lowShare } = this.#options.settings.guard;
    const target = Math.min(limit * lowShare, refused.estimate * lowShare);
    const shrunk = await this.#shrink(refused.request, request, place, refused.estimate, target);
    if (shrunk.request === refused.request) throw nothingLeft(refused.estimate, limit, shrunk.unconfirmed);
    return shrunk;
  }

  /** The provider's own count of a request that was answered. */
  counted(request: ModelRequest, tokens: number): void {
    if (tokens > 0) this.#estimate.anchorAt(request, tokens);
  }

  #remember(request: ModelRequest, anchor: Anchor): void {
    if (anchor.messages > request.messages.length || prefixDigest(request, anchor.messages) !== anchor.digest) return;
    this.#estimate.anchorAt({ ...request, messages: request.messages.slice(0, anchor.messages) }, anchor.tokens);
  }

  async #load(runId: string): Promise<Replacement[]> {
    const list = [...(await this.#options.replacements.all(runId))];
    this.#known = { runId, list };
    return list;
  }

  #withKnown(request: ModelRequest, known: readonly Replacement[]): ModelRequest {
    const inStep = this.#steps.inStep(request.messages);
    const messages = this.#replaced.apply(inStep, replacementSet(known));
    return messages === request.messages ? request : { ...request, messages };
  }

  async #shrink(
    standing: ModelRequest,
    original: ModelRequest,
    place: GuardPlace,
    estimate: number,
    target: number,
  ): Promise<{ readonly request: ModelRequest; readonly estimate: number; readonly unconfirmed: boolean }> {
    const known = this.#known?.list ?? [];
    // Where the provider has counted a prefix, its count also says how far the estimate is above the truth.
    const truth = Math.min(1, estimate / Math.max(1, estimateRequest(standing)));
    let tokens = estimate;
    let unconfirmed = false;
    let made = 0;
    for (const candidate of candidates(standing.messages, place.putAway, known)) {
      if (tokens <= target) break;
      // What was just asked for goes only if the request does not fit otherwise at all.
      if (candidate.last && made > 0 && tokens <= tokenLimit(place.windowTokens, original.maxTokens)) break;
      const replacement = await this.#replacement(candidate, place);
      if (replacement === 'unconfirmed') unconfirmed = true;
      if (typeof replacement === 'string') continue;
      known.push(replacement);
      made += 1;
      tokens -= truth * (candidate.tokens - replacementTokens(replacement, candidate.block));
    }
    if (made === 0) return { request: standing, estimate, unconfirmed };
    const request = this.#withKnown(original, known);
    // The count of the old prefix is dead; but less than before cannot be more than before.
    const after = Math.min(this.#estimate.of(request), estimate);
    this.#options.telemetry.count('GuardAction', made);
    this.#options.telemetry.decision('guard_replaced', {
      turn: place.turn,
      made,
      replaced: known.length,
      before: estimate,
      after,
    });
    return { request, estimate: after, unconfirmed };
  }

  async #replacement(candidate: Candidate, place: GuardPlace): Promise<Replacement | 'unconfirmed' | 'impossible'> {
    const { toolUseId, content, status = 'success' } = candidate.block.toolResult;
    const bytes = contentBytes(content);
    const prefix = wholePrefix(content, Math.min(this.#options.settings.guard.replacementBytes, bytes - 1));
    const marker = await place.putAway.keep({
      toolUseId,
      status,
      content,
      bytes,
      latest: candidate.latest,
      shown: prefix.shown,
    });
    if (typeof marker === 'string') return marker;
    const bare = marker.kind === 'unfit';
    const draft: Replacement = {
      toolUseId,
      digest: rememberedDigest(content),
      prefix: bare ? '' : prefix.text,
      marker,
      bytes,
      shown: bare ? 0 : prefix.shown.count,
      turn: place.turn,
      madeAt: this.#options.clock.now().toISOString(),
    };
    const smallest = [draft, withoutPrefix(draft)].find((one) => contentBytes(replacementBlocks(one)) < bytes);
    // A note longer than what it replaces is no saving (case H026).
    if (smallest === undefined) return 'impossible';
    return this.#options.replacements.putIfAbsent(place.runId, smallest);
  }
}

/** Largest first, tool-use id as tie-break; selections that were just asked for behind all others. */
function candidates(
  messages: readonly Message[],
  putAway: PutAway,
  known: readonly Replacement[],
): readonly Candidate[] {
  const newest = messages.at(-1);
  const found: Candidate[] = [];
  for (const message of messages) {
    if (message.role !== 'user') continue;
    for (const block of message.content) {
      if (!('toolResult' in block)) continue;
      const latest = message === newest;
      const text = block.toolResult.content.filter((part) => !isMedia(part));
      if (contentBytes(text) < leastBytes) continue;
      const tokens = text.reduce((sum, part) => sum + blockTokens(part), 0);
      found.push({ block, tokens, latest, last: latest && putAway.isSelection(block.toolResult.toolUseId) });
    }
  }
  return found
    .filter(({ block }) => !isReplacement(block, known))
    .sort(
      (one, other) =>
        Number(one.last) - Number(other.last) ||
        other.tokens - one.tokens ||
        (one.block.toolResult.toolUseId < other.block.toolResult.toolUseId ? -1 : 1),
    );
}

function isReplacement(block: ToolResultBlock, known: readonly Replacement[]): boolean {
  return known.some(
    (replacement) =>
      replacement.toolUseId === block.toolResult.toolUseId &&
      replacementBlocks(replacement).every((part, at) => {
        const there = block.toolResult.content[at];
        return there !== undefined && 'text' in there && 'text' in part && there.text === part.text;
      }),
  );
}

function replacementTokens(replacement: Replacement, block: ToolResultBlock): number {
  const media = block.toolResult.content.filter(isMedia);
  return [...replacementBlocks(replacement), ...media].reduce((sum, part) => sum + blockTokens(part), 0);
}

function withoutPrefix(replacement: Replacement): Replacement {
  const { marker } = replacement;
  if (marker.kind !== 'stored' || marker.shown === undefined) return { ...replacement, prefix: '', shown: 0 };
  return { ...replacement, prefix: '', shown: 0, marker: { ...marker, shown: { ...marker.shown, count: 0 } } };
}

function nothingLeft(estimate: number, limit: number, unconfirmed: boolean): ClaimcheckError {
  if (unconfirmed) {
    // Nothing is dropped that does not stand in storage; the storage may answer at the next try.
    return new ClaimcheckError('StorageUnavailable', 'guard: results could not be stored, so none was taken out', {
      estimate,
      limit,
    });
  }
  return new ClaimcheckError(
    'ContextOverflow',
    `request: about ${estimate} tokens, at most ${Math.floor(limit)} fit, and nothing is left to shrink`,
    { estimate, limit: Math.floor(limit) },
  );
}
