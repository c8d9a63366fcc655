import type { Basis } from '../basis/basis.ts';
import { ClaimcheckError } from '../errors.ts';
import { hasExpired, noLongerAllowed } from '../guard/marker.ts';
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
  readonly threads: readonly Pick<ViewedThread, 'agent' | 'messages'>[];
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
    threads: viewThreads(turn, viewer).map(({ agent, messages }) => ({ agent, messages })),
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
