import { textWithBytes, valueWithBytes } from '../content/bytes-in-json.ts';
import type { ChatTurn } from './chat.ts';

/**
 * A turn as the text that is stored. JSON text rather than a DynamoDB map: it has no nesting limit of 32, keeps key
 * order, so that a resumed chat repeats the same bytes, and holds lone surrogates as escapes.
 */
export function encodeTurn(turn: ChatTurn): string {
  return textWithBytes(turn);
}

/** Throws a plain `Error` for text that is no turn: a fault of ours, never an expected failure. */
export function decodeTurn(text: string): ChatTurn {
  const turn = valueWithBytes(text);
  const threads = typeof turn === 'object' && turn !== null ? (turn as { threads?: unknown }).threads : undefined;
  if (!Array.isArray(threads)) throw new Error('chat: the stored turn cannot be read');
  return turn as ChatTurn;
}
