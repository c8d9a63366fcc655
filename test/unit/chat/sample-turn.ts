import { emptyBasis } from '../../../core/basis/basis.ts';
import type { ChatHeader, Chats, ChatTurn, NumberedTurn } from '../../../core/chat/chat.ts';
import { ownerKey } from '../../../core/reference/owner-key.ts';

export const owner = ownerKey('person-1');
export const session = 'c'.repeat(32);

export function turn(more: Partial<ChatTurn> = {}): ChatTurn {
  return {
    runId: '1'.repeat(32),
    agent: 'assistant',
    at: '2026-11-30T12:00:00.000Z',
    status: 'succeeded',
    question: 'How many?',
    answer: 'Three.',
    threads: [
      {
        agent: 'assistant',
        messages: [
          { role: 'user', content: [{ text: 'How many?' }] },
          { role: 'assistant', content: [{ text: 'Three.' }] },
        ],
      },
    ],
    references: [],
    basis: emptyBasis,
    gates: [],
    inheritedGates: [],
    ...more,
  };
}

export function header(more: Partial<ChatHeader> = {}): ChatHeader {
  return {
    owner,
    session,
    title: 'How many?',
    agent: 'assistant',
    createdAt: '2026-11-30T12:00:00.000Z',
    updatedAt: '2026-11-30T12:00:00.000Z',
    turns: 1,
    hidden: false,
    gates: [],
    ...more,
  };
}

/** Chats that only answer. */
export function fixedChats(heads: readonly (readonly ChatHeader[])[], turns: readonly NumberedTurn[] = []): Chats {
  return {
    header: async (_owner, wanted) => heads.flat().find((one) => one.session === wanted),
    headers: async function* () {
      yield* heads;
    },
    save: async () => ({ n: 0, created: true }),
    turns: async () => turns,
    hide: async () => true,
  };
}
