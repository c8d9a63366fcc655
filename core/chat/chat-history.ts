import type { ContentBlock, Message } from '../content/block.ts';
import { sendableMessages } from '../content/sendable-messages.ts';
import { noLongerAllowed } from '../guard/marker.ts';
import { repairedMessages } from '../guard/repair.ts';
import type { OwnerKey } from '../reference/owner-key.ts';
import type { Chats, ChatTurn, NumberedTurn, ResultOrigin } from './chat.ts';
import { opens, type Viewer, viewThreads } from './current-view.ts';
import { hasPassed } from './expiry.ts';

export interface ChatHistory {
  readonly messages: readonly Message[];
  /** Where a result in `messages` came from; undefined for what is not shown any more. */
  origin(content: readonly ContentBlock[]): ResultOrigin | undefined;
}

/**
 * The earlier turns of a chat as one agent's messages, for a run that continues it: exactly what that agent's model
 * saw, except what the run's roles no longer allow (DESIGN 7.4) and what is past its date. An agent that took no part
 * in a turn gets its question and answer. `savedBefore` is the instant of the run's admission, so that every call of
 * the run sees the same turns. An unknown, hidden or expired chat has no history.
 */
export async function chatHistory(
  chats: Chats,
  owner: OwnerKey,
  session: string,
  options: Viewer & { readonly agent: string; readonly savedBefore: string },
): Promise<ChatHistory> {
  const header = await chats.header(owner, session);
  if (header === undefined || header.hidden || hasPassed(header.expiresAt, options.now)) return nothingBefore;
  const origins = new Map<readonly ContentBlock[], ResultOrigin>();
  let altered = false;
  const messages = (await chats.turns(owner, session))
    .filter((turn) => turn.at < options.savedBefore)
    .flatMap((turn) => {
      const seen = turnMessages(turn, options, origins);
      // Once an earlier turn reads otherwise, no later signature matches what stands before it.
      const kept = altered ? seen.messages.map(withoutReasoning) : seen.messages;
      altered ||= seen.altered;
      return kept;
    });
  const inStep = repairedMessages(messages);
  // Made fit to be sent here, where it is known what each result came from: a later look changes nothing any more.
  const sent = sendableMessages(inStep);
  carryOver(origins, inStep, sent);
  return { messages: sent, origin: (content) => origins.get(content) };
}

/** The results of `after` are those of `before`, one for one; where one is another object now, it keeps its origin. */
function carryOver(
  origins: Map<readonly ContentBlock[], ResultOrigin>,
  before: readonly Message[],
  after: readonly Message[],
): void {
  const contents = (messages: readonly Message[]) =>
    messages.flatMap(({ content }) =>
      content.flatMap((block) => ('toolResult' in block ? [block.toolResult.content] : [])),
    );
  const later = contents(after);
  for (const [at, content] of contents(before).entries()) {
    const [origin, now] = [origins.get(content), later[at]];
    if (origin !== undefined && now !== undefined) origins.set(now, origin);
  }
}

const nothingBefore: ChatHistory = { messages: [], origin: () => undefined };

function turnMessages(
  turn: NumberedTurn,
  options: Viewer & { readonly agent: string },
  origins: Map<readonly ContentBlock[], ResultOrigin>,
): { readonly messages: readonly Message[]; readonly altered: boolean } {
  const own = viewThreads(turn, options).find((thread) => thread.agent === options.agent);
  for (const [content, origin] of own?.origins ?? []) origins.set(content, origin);
  const messages = own?.messages ?? [];
  const altered = own?.altered ?? true;
  const last = messages.at(-1);
  if (last?.role === 'assistant' && !last.content.some((block) => 'toolUse' in block)) return { messages, altered };
  const answer: Message = { role: 'assistant', content: [{ text: closingWords(turn, options) }] };
  if (messages.length > 0) return { messages: [...messages, answer], altered };
  const question = turn.question.trim() === '' ? '(no text)' : turn.question;
  return { messages: [{ role: 'user', content: [{ text: question }] }, answer], altered };
}

/** Roles must alternate, so a turn that broke off ends with a word about that. */
function closingWords(turn: ChatTurn, viewer: Viewer): string {
  if (!opens(turn.gates, viewer)) return noLongerAllowed;
  if (turn.answer.trim() !== '' && turn.status === 'succeeded') return turn.answer;
  return `(this turn did not finish: ${turn.failure?.message ?? 'no answer'})`;
}

function withoutReasoning(message: Message): Message {
  const content = message.content.filter((block) => !('reasoningContent' in block));
  if (content.length === message.content.length) return message;
  return { role: message.role, content: content.length > 0 ? content : [{ text: '(reasoning left out)' }] };
}
