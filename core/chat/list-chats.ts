import { openCursor, type SealingSecret, sealCursor } from '../catalogue/cursor.ts';
import { ClaimcheckError } from '../errors.ts';
import type { OwnerKey } from '../reference/owner-key.ts';
import type { ChatHeader, Chats } from './chat.ts';
import { opens, type Viewer } from './current-view.ts';
import { hasPassed } from './expiry.ts';

export interface ListedChat {
  readonly session: string;
  readonly title: string;
  readonly agent: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly turns: number;
  /** False: parts of it read "no longer allowed" today. */
  readonly allowed: boolean;
}

export interface ChatPage {
  readonly chats: readonly ListedChat[];
  /** All live chats of the owner, on whatever page. */
  readonly total: number;
  /** Null when nothing follows. */
  readonly cursor: string | null;
}

export const chatPageSize = { standard: 50, largest: 200 } as const;

/**
 * The owner's chats, newest first. Reads every page of headers, then leaves out hidden and expired ones: a filter in
 * the query would make short and empty pages, and the count a lie. Throws `InvalidInput` for a cursor that this list
 * did not give to this owner, or a limit out of range.
 */
export async function listChats(
  chats: Chats,
  owner: OwnerKey,
  options: Viewer & { readonly secret: SealingSecret; readonly cursor?: unknown; readonly limit?: number },
): Promise<ChatPage> {
  const limit = options.limit ?? chatPageSize.standard;
  if (!Number.isInteger(limit) || limit < 1 || limit > chatPageSize.largest) {
    throw new ClaimcheckError('InvalidInput', `limit: expected a whole number from 1 to ${chatPageSize.largest}`);
  }
  const purpose = { owner, list: 'chats' };
  const after = options.cursor === undefined ? undefined : openCursor(options.secret, purpose, options.cursor);
  const live = await liveChats(chats, owner, options.now);
  const rest = after === undefined ? live : live.filter((header) => positionOf(header) < after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    chats: page.map((header) => ({
      session: header.session,
      title: header.title,
      agent: header.agent,
      createdAt: header.createdAt,
      updatedAt: header.updatedAt,
      turns: header.turns,
      allowed: opens(header.gates, options),
    })),
    total: live.length,
    cursor:
      last !== undefined && rest.length > page.length ? sealCursor(options.secret, purpose, positionOf(last)) : null,
  };
}

/** All live headers, newest first: also what the check script compares with. */
export async function liveChats(chats: Chats, owner: OwnerKey, now: Date): Promise<readonly ChatHeader[]> {
  const live: ChatHeader[] = [];
  for await (const page of chats.headers(owner)) {
    for (const header of page) if (!header.hidden && !hasPassed(header.expiresAt, now)) live.push(header);
  }
  return live.sort((one, other) => (positionOf(one) < positionOf(other) ? 1 : -1));
}

/** Time, then session: a total order, so a page neither repeats nor skips a chat of the same instant. */
function positionOf(header: ChatHeader): string {
  return `${header.updatedAt} ${header.session}`;
}
