import type { ContentBlock, Message, MessageBlock, ToolResultBlock } from '../content/block.ts';
import { hasExpired, noLongerAllowed, noLongerAvailable, renderMarker } from '../guard/marker.ts';
import { passesGates, type ToolCatalogue } from '../tool/tool-definition.ts';
import type { ChatTurn, ResultOrigin, SavedBlock, SavedMessage, SavedToolResult } from './chat.ts';
import { mendedThread } from './mend-blocks.ts';
import { dataReferenceOf } from './saved-thread.ts';

export interface Viewer {
  /** Roles looked up now for a person, recorded at admission for a run (DESIGN 7.4, 7.5). */
  readonly roles: readonly string[];
  readonly tools: ToolCatalogue;
  readonly now: Date;
}

export interface ViewedThread {
  readonly agent: string;
  readonly messages: readonly Message[];
  /** Where the results in `messages` came from, by their content; only of results that are shown. */
  readonly origins: ReadonlyMap<readonly ContentBlock[], ResultOrigin>;
  /** Something reads otherwise than the model saw it. */
  readonly altered: boolean;
}

/** Gates of a thing without any are open: nothing of a tool is in it. */
export function opens(gates: readonly string[], viewer: Viewer): boolean {
  return gates.length === 0 || passesGates(viewer.tools, gates, viewer.roles);
}

/**
 * A turn's messages for today's roles and today's date. Exactly what the models saw, except:
 * - a result whose gate refuses, and whatever a model wrote after it had seen one, reads "no longer allowed", its
 *   fields, profile and the arguments of later calls included: an answer is derived from its sources (DESIGN 7.4);
 * - a marker or reference past its date reads "no longer available, run the tool again".
 */
export function viewThreads(turn: ChatTurn, viewer: Viewer): readonly ViewedThread[] {
  let closed = !opens(turn.inheritedGates, viewer);
  const threads = turn.threads.map((saved) => mendedThread(saved));
  const isRefused = (block: SavedMessage['content'][number]) => 'origin' in block && !opens(block.origin.gates, viewer);
  const refused = threads.some(({ messages }) => messages.some(({ content }) => content.some(isRefused)));
  let opening = true;
  return threads.map((saved) => {
    const origins = new Map<readonly ContentBlock[], ResultOrigin>();
    let altered = closed;
    const messages = saved.messages.map((message, at): Message => {
      // An agent that is handed the work back hears of what others saw, though their threads stand behind its own.
      closed ||= refused && at > 0 && message.role === 'user' && message.content.some((block) => 'text' in block);
      altered ||= closed;
      const content = message.content.flatMap((block): MessageBlock[] => {
        if ('origin' in block) {
          const open = opens(block.origin.gates, viewer);
          closed ||= !open;
          const current = resultBlock(block, open, viewer.now);
          altered ||= closed || isAltered(block, viewer.now);
          if (open) origins.set(current.toolResult.content, block.origin);
          return [current];
        }
        // A signature covers what stood before it: behind anything that reads otherwise now, it would be refused.
        if ('reasoningContent' in block) return altered ? [] : [block];
        return [closed && !(opening && message.role === 'user') ? withheld(block) : block];
      });
      opening = false;
      return neverEmpty({ role: message.role, content });
    });
    return { agent: saved.agent, messages, origins, altered };
  });
}

/** Past its date, a marker or a reference reads otherwise. */
function isAltered({ toolResult, origin }: SavedToolResult, now: Date): boolean {
  const dates = toolResult.content.flatMap((part) =>
    'marker' in part && 'availableUntil' in part.marker ? [part.marker.availableUntil] : [],
  );
  if (origin.availableUntil !== null) dates.push(origin.availableUntil);
  return dates.some((date) => hasExpired(date, now));
}

function neverEmpty(message: Message): Message {
  return message.content.length > 0 ? message : { role: message.role, content: [{ text: noLongerAllowed }] };
}

function withheld(block: Exclude<SavedMessage['content'][number], SavedToolResult>): MessageBlock {
  if ('toolUse' in block) return { toolUse: { ...block.toolUse, input: {} } };
  if ('cachePoint' in block) return block;
  return { text: noLongerAllowed };
}

function resultBlock(block: SavedToolResult, open: boolean, now: Date): ToolResultBlock {
  const { toolResult, origin } = block;
  const content = open
    ? toolResult.content.map((part) => currentBlock(part, origin, now))
    : [{ text: noLongerAllowed }];
  return { toolResult: { ...toolResult, content } };
}

function currentBlock(block: SavedBlock, origin: ResultOrigin, now: Date): ContentBlock {
  if ('marker' in block) return { text: renderMarker(block.marker, now) };
  if (origin.ref === null || dataReferenceOf(block) !== origin.ref) return block;
  return origin.availableUntil !== null && hasExpired(origin.availableUntil, now) ? { text: noLongerAvailable } : block;
}
