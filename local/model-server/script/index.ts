import type { Conversation } from '../conversation.ts';
import { lists } from './lists.ts';
import type { Move, Script } from './move.ts';
import { research } from './research.ts';
import { storedResults } from './stored-results.ts';
import { subject } from './subject.ts';
import { verbatim } from './verbatim.ts';

/** Asked in this order; the first that knows the conversation plays. */
const scripts: readonly Script[] = [verbatim, research, storedResults, lists, subject];

/** The scripted model's next move: the same conversation always gets the same one. */
export function nextMove(conversation: Conversation): Move {
  for (const script of scripts) {
    const move = script.plays(conversation);
    if (move !== undefined) return move;
  }
  const tools = [...conversation.offered].sort().join(', ');
  return { say: `I have no tool for that. I can use: ${tools === '' ? 'none' : tools}.` };
}
