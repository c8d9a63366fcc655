import type { Basis } from '../basis/basis.ts';
import type { Message } from '../content/block.ts';
import { ClaimcheckError } from '../errors.ts';
import { hasExpired, noLongerAllowed } from '../guard/marker.ts';
import { repairedMessages } from '../guard/repair.ts';
import type { OwnerKey } from '../reference/owner-key.ts';
import { isId } from '../reference/reference.ts';
import type { ChatHeader, Chats, ChatTurn, NumberedTurn, TurnReference } from './chat.ts';
import { opens, type ViewedThread, type Viewer, viewThreads } from './current-view.ts';
import { hasPassed } from './expiry.ts';

/** A stored result beside an answer, as today's roles and date leave it. */
export interface ViewedReference {
  readonly ref: string;
  readonly state: 'available' | 'expired' | 'not_allowed';
  /** Only for an available one: what it is. What the gate refuses shows nothing but that it is refused. */
  readonly facts?: Omit<TurnReference, 'ref' | 'gates'>;
}

/** One turn for the person who owns the chat. */
export interface ViewedTurn {
  readonly n: number;
  readonly runId: string;
  readonly agent: string;
  readonly at: string;
  readonly status: ChatTurn['status'];
  readonly failure?: ChatTurn['failure'];
  readonly question: string;
  readonly answer: string;
  /** False: the answer rests on something that today's roles do not open, and its words are withheld. */
  readonly allowed: boolean;
  readonly references: readonly ViewedReference[];
  readonly basis: Basis;
  /** What each model saw, under the same rules. */
  readonly threads: readonly ViewedThread[];
}

export interface OpenedChat {
  readonly session: string;
  readonly title: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly turns: readonly ViewedTurn[];
}

/**
 * A chat for the person who owns it. Throws one and the same `NotFound` for an unknown, another owner's, hidden or
 * expired one, and for a session that is no id.
 */
export async function openChat(chats: Chats, owner: OwnerKey, session: unknown, viewer: Viewer): Promise<OpenedChat> {
  const header = await liveHeader(chats, owner, session, viewer.now);
  const turns = await chats.turns(owner, header.session);
  return {
    session: header.session,
    title: header.title,
    createdAt: header.createdAt,
    updatedAt: header.updatedAt,
    turns: turns.map((turn) => viewTurn(turn, viewer)),
  };
}

/**
 * The earlier turns of a chat as one agent's messages, for a run that continues it: exactly what that agent's model
 * saw, under the roles recorded at the run's admission. An agent that took no part in a turn gets question and answer.
 * `before`: only turns with a smaller number, so that every call of a run sees the same ones. An unknown, hidden or
 * expired chat has no history.
 */
export async function chatHistory(
  chats: Chats,
  owner: OwnerKey,
  session: string,
  options: Viewer & { readonly agent: string; readonly before?: number },
): Promise<readonly Message[]> {
  const header = await chats.header(owner, session);
  if (header === undefined || header.hidden || hasPassed(header.expiresAt, options.now)) return [];
  const turns = await chats.turns(owner, session);
  const messages = turns
    .filter((turn) => options.before === undefined || turn.n < options.before)
    .flatMap((turn) => turnMessages(turn, options));
  return repairedMessages(messages);
}

/** Refuses to continue a chat that is hidden or past its date: it is not brought back to life (case H066). */
export async function assertContinuable(chats: Chats, owner: OwnerKey, session: string, now: Date): Promise<void> {
  const header = await chats.header(owner, session);
  if (header !== undefined && (header.hidden || hasPassed(header.expiresAt, now))) throw noSuchChat();
}

/** Hides a chat. Answers alike for an unknown one and for one that is hidden already: `NotFound`. */
export async function hideChat(chats: Chats, owner: OwnerKey, session: unknown, now: Date): Promise<void> {
  const header = await liveHeader(chats, owner, session, now);
  if (!(await chats.hide(owner, header.session))) throw noSuchChat();
}

async function liveHeader(chats: Chats, owner: OwnerKey, session: unknown, now: Date): Promise<ChatHeader> {
  if (!isId(session)) throw noSuchChat();
  const header = await chats.header(owner, session);
  if (header === undefined || header.hidden || hasPassed(header.expiresAt, now)) throw noSuchChat();
  return header;
}

function noSuchChat(): ClaimcheckError {
  return new ClaimcheckError('NotFound', 'Not found.');
}

function viewTurn(turn: NumberedTurn, viewer: Viewer): ViewedTurn {
  const allowed = opens(turn.gates, viewer);
  return {
    n: turn.n,
    runId: turn.runId,
    agent: turn.agent,
    at: turn.at,
    status: turn.status,
    ...(turn.failure === undefined ? {} : { failure: turn.failure }),
    question: turn.question,
    answer: allowed ? turn.answer : noLongerAllowed,
    allowed,
    references: turn.references.map((reference) => viewReference(reference, viewer)),
    basis: allowed ? turn.basis : openBasis(turn, viewer),
    threads: viewThreads(turn, viewer),
  };
}

function viewReference(reference: TurnReference, viewer: Viewer): ViewedReference {
  const { ref, gates, ...facts } = reference;
  if (!opens(gates, viewer)) return { ref, state: 'not_allowed' };
  if (hasExpired(reference.availableUntil, viewer.now)) return { ref, state: 'expired' };
  return { ref, state: 'available', facts };
}

/** Of a withheld answer only the basis of results that are still open: a count is a fact about a result too. */
function openBasis(turn: ChatTurn, viewer: Viewer): Basis {
  const open = new Set(turn.references.filter(({ gates }) => opens(gates, viewer)).map(({ ref }) => ref));
  return { results: turn.basis.results.filter(({ ref }) => ref !== null && open.has(ref)) };
}

function turnMessages(turn: NumberedTurn, options: Viewer & { readonly agent: string }): readonly Message[] {
  const own = viewThreads(turn, options).find((thread) => thread.agent === options.agent);
  const messages = own?.messages ?? [];
  const last = messages.at(-1);
  if (last?.role === 'assistant' && !last.content.some((block) => 'toolUse' in block)) return messages;
  const answer = closingWords(turn, options);
  if (messages.length === 0) {
    return [
      { role: 'user', content: [{ text: turn.question.trim() === '' ? '(no text)' : turn.question }] },
      { role: 'assistant', content: [{ text: answer }] },
    ];
  }
  return [...messages, { role: 'assistant', content: [{ text: answer }] }];
}

/** Roles must alternate, so a turn that broke off ends with a word about that. */
function closingWords(turn: ChatTurn, viewer: Viewer): string {
  if (!opens(turn.gates, viewer)) return noLongerAllowed;
  if (turn.answer.trim() !== '' && turn.status === 'succeeded') return turn.answer;
  return `(this turn did not finish: ${turn.failure?.message ?? 'no answer'})`;
}
