import type { Basis } from '../basis/basis.ts';
import type { ContentBlock, MessageBlock, ToolResultBlock } from '../content/block.ts';
import type { Marker } from '../guard/marker.ts';
import type { JsonValue } from '../json.ts';
import type { OwnerKey } from '../reference/owner-key.ts';

/** What a list of chats needs, and nothing that would make it read bodies: at most about 400 bytes as an item. */
export interface ChatHeader {
  readonly owner: OwnerKey;
  readonly session: string;
  /** The person's own first question, at most 96 UTF-8 bytes. */
  readonly title: string;
  readonly agent: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly turns: number;
  /** The person deleted it: listed and opened no more. */
  readonly hidden: boolean;
  /** Whole seconds since 1970 (DynamoDB TTL); absent: never. The table deletes late, so every reader checks it. */
  readonly expiresAt?: number;
  /** Gates that the chat's content carries (`core/tool/gate.ts`). */
  readonly gates: readonly string[];
}

/** Where a tool result in a saved turn came from: what its gate and its date are checked by on every load. */
export interface ResultOrigin {
  readonly tool: string;
  /** The stored result that the call produced; null when nothing was stored. */
  readonly ref: string | null;
  /** Stored results that a read, an analysis or a listing drew on. */
  readonly sources: readonly string[];
  readonly gates: readonly string[];
  readonly availableUntil: string | null;
  /** The stored copy stood in storage when the turn was saved. */
  readonly confirmed: boolean;
  /** What a read or an analysis delivered, for the marker that may take its place. */
  readonly delivered?: JsonValue;
}

/** A block of a tool result as it is kept; a marker is kept as fields and rendered on load. */
export type SavedBlock = ContentBlock | { readonly marker: Marker };

export type SavedToolResult = {
  readonly toolResult: Omit<ToolResultBlock['toolResult'], 'content'> & { readonly content: readonly SavedBlock[] };
  readonly origin: ResultOrigin;
};

export interface SavedMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly (Exclude<MessageBlock, ToolResultBlock> | SavedToolResult)[];
}

/** The messages of one agent in one run, exactly as its model saw them. */
export interface SavedThread {
  readonly agent: string;
  readonly messages: readonly SavedMessage[];
}

/** A stored result beside the answer: attached by code, whatever the model wrote (DESIGN 7.8). */
export interface TurnReference {
  readonly ref: string;
  readonly tool: string;
  readonly bytes: number;
  readonly records: number | null;
  readonly unit: 'records' | 'lines';
  /** Of what the tool itself delivered a part of: how many its source holds. Absent: the whole, or not known. */
  readonly sourceTotal?: number;
  readonly availableUntil: string;
  readonly gates: readonly string[];
  /** Set when the same content also exists as a CSV. */
  readonly exportId?: string;
  readonly fileName?: string;
  /** Media type of a picture. */
  readonly pictureType?: string;
}

/** What one run added to a chat. One per run, however often it is saved. */
export interface ChatTurn {
  readonly runId: string;
  readonly agent: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly status: 'succeeded' | 'failed';
  /** For a failed turn: code and one sentence fit for a person. */
  readonly failure?: { readonly code: string; readonly message: string };
  readonly question: string;
  readonly answer: string;
  readonly threads: readonly SavedThread[];
  readonly references: readonly TurnReference[];
  readonly basis: Basis;
  /** Gates of everything that stood in the requests of this run, the chat's earlier turns included (DESIGN 7.4). */
  readonly gates: readonly string[];
  /** The part of `gates` that came with the chat's earlier turns. */
  readonly inheritedGates: readonly string[];
}

export interface NumberedTurn extends ChatTurn {
  /** 0 for the first turn of the chat. */
  readonly n: number;
}

/** Saved chats, keyed by owner and session: another owner's rows cannot be reached by any argument. */
export interface Chats {
  /** Strongly consistent. Hidden and expired ones are answered as they stand; callers judge. */
  header(owner: OwnerKey, session: string): Promise<ChatHeader | undefined>;
  /** Every page of the owner's headers, in key order; hidden and expired ones included. Never reads a body. */
  headers(owner: OwnerKey): AsyncIterable<readonly ChatHeader[]>;
  /**
   * Adds a turn at the end of the chat, or answers the number under which this run's turn already stands. Two
   * writers never lose a turn. The header is written last: a turn is visible whole or not at all. `expiresAt` (whole
   * seconds) becomes the whole chat's date when it is later than the one it has: an active chat does not end, and no
   * turn of it goes before it.
   * Throws `Expired` for a chat past its date and `StorageUnavailable` when writers keep colliding.
   */
  save(
    owner: OwnerKey,
    session: string,
    turn: ChatTurn,
    chat: { readonly title: string; readonly expiresAt: number; readonly now: Date },
  ): Promise<{ readonly n: number; readonly created: boolean }>;
  /** All turns, oldest first. */
  turns(owner: OwnerKey, session: string): Promise<readonly NumberedTurn[]>;
  /** Answers false when there is no such chat. */
  hide(owner: OwnerKey, session: string): Promise<boolean>;
}
