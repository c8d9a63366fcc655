import type { ContentBlock, Message, MessageBlock } from '../content/block.ts';
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
  let opening = true;
  return turn.threads.map((saved) => {
    const messages = mendedThread(saved).messages.map((message): Message => {
      const content = message.content.map((block): MessageBlock => {
        if ('origin' in block) {
          const open = opens(block.origin.gates, viewer);
          closed ||= !open;
          return resultBlock(block, open, viewer.now);
        }
        return closed && !(opening && message.role === 'user') ? withheld(block) : block;
      });
      opening = false;
      return { role: message.role, content: content.filter((block) => !(closed && 'reasoningContent' in block)) };
    });
    return { agent: saved.agent, messages: messages.map(neverEmpty) };
  });
}

function neverEmpty(message: Message): Message {
  return message.content.length > 0 ? message : { role: message.role, content: [{ text: noLongerAllowed }] };
}

function withheld(block: Exclude<SavedMessage['content'][number], SavedToolResult>): MessageBlock {
  if ('toolUse' in block) return { toolUse: { ...block.toolUse, input: {} } };
  if ('cachePoint' in block || 'reasoningContent' in block) return block;
  return { text: noLongerAllowed };
}

function resultBlock(block: SavedToolResult, open: boolean, now: Date): MessageBlock {
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
