import { openCursor, type SealingSecret, sealCursor } from '../catalogue/cursor.ts';
import type { ChatHeader, Chats } from '../chat/chat.ts';
import { opens, type Viewer } from '../chat/current-view.ts';
import { liveChats } from '../chat/list-chats.ts';
import { hideChat, openChat, type ViewedTurn } from '../chat/open-chat.ts';
import { ClaimcheckError } from '../errors.ts';
import type { Identity } from '../identity/identity.ts';
import type { Run } from '../run/run.ts';
import type { Clock } from '../telemetry/telemetry.ts';
import { linkOf } from './links.ts';
import type { HttpRequest } from './request.ts';
import { type HttpResponse, json } from './response.ts';
import type { ChatResponse, ChatsResponse, TurnResponse } from './responses.ts';

export interface ChatRoutePorts {
  readonly chats: Chats;
  /** Roles held now, the tool catalogue and the time. Throws `RolesUnavailable`. */
  readonly viewer: (identity: Identity) => Promise<Viewer>;
  readonly sealingSecret: () => Promise<SealingSecret>;
  readonly agents: readonly string[];
  readonly clock: Clock;
  readonly publicBaseUrl: string;
}

/** Chats of one answer: all of them for nearly everybody, at about 250 bytes each. */
const chatsPerAnswer = 1_000;

/** `GET /chats?cursor=`: the caller's chats, newest first. */
export async function showChats(
  request: HttpRequest,
  identity: Identity,
  ports: ChatRoutePorts,
): Promise<HttpResponse> {
  const purpose = { owner: identity.owner, list: 'chats' };
  const cursor = request.query.get('cursor');
  const secret = await ports.sealingSecret();
  const after = cursor === null ? null : openCursor(secret, purpose, cursor);
  const now = ports.clock.now();
  const [viewer, live] = await Promise.all([ports.viewer(identity), liveChats(ports.chats, identity.owner, now)]);
  const rest = after === null ? live : live.filter((header) => place(header) < after);
  const page = rest.slice(0, chatsPerAnswer);
  const last = page.at(-1);
  const answer: ChatsResponse = {
    chats: page.map(({ session, title, agent, createdAt, updatedAt, turns, gates }) => ({
      ...{ session, title, agent, createdAt, updatedAt, turns },
      allowed: opens(gates, viewer),
    })),
    total: live.length,
    next_cursor: last !== undefined && rest.length > page.length ? sealCursor(secret, purpose, place(last)) : null,
    agents: ports.agents,
  };
  return json(200, answer);
}

/** Time, then session: a total order, so that no page repeats or skips a chat. */
function place(header: ChatHeader): string {
  return `${header.updatedAt} ${header.session}`;
}

/** `GET /chats/{id}`: questions, answers and the links beside them, as today's roles and date leave them. */
export async function showChat(session: string, identity: Identity, ports: ChatRoutePorts): Promise<HttpResponse> {
  const chat = await openChat(ports.chats, identity.owner, session, await ports.viewer(identity));
  const answer: ChatResponse = {
    session: chat.session,
    title: chat.title,
    createdAt: chat.createdAt,
    turns: chat.turns.map((turn) => turnOf(turn, ports.publicBaseUrl)),
  };
  return json(200, answer);
}

export async function deleteChat(session: string, identity: Identity, ports: ChatRoutePorts): Promise<HttpResponse> {
  await hideChat(ports.chats, identity.owner, session, ports.clock.now());
  return json(200, { session, hidden: true });
}

/** The turn that a run saved. Undefined while there is none, and when its chat was deleted meanwhile. */
export async function turnOfRun(
  identity: Identity,
  run: Run,
  ports: Pick<ChatRoutePorts, 'chats' | 'viewer'>,
): Promise<ViewedTurn | undefined> {
  try {
    const chat = await openChat(ports.chats, identity.owner, run.session, await ports.viewer(identity));
    return chat.turns.find(({ runId }) => runId === run.runId);
  } catch (error) {
    if (error instanceof ClaimcheckError && error.code === 'NotFound') return undefined;
    throw error;
  }
}

function turnOf(turn: ViewedTurn, publicBaseUrl: string): TurnResponse {
  return {
    runId: turn.runId,
    agent: turn.agent,
    at: turn.at,
    status: turn.status,
    failure: turn.failure?.message ?? null,
    allowed: turn.allowed,
    question: turn.question,
    answer: turn.allowed ? turn.answer : null,
    links: turn.references.map((reference) => linkOf(reference, publicBaseUrl)),
    basis: turn.basis,
  };
}
