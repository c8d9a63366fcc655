import type { Message } from '../content/block.ts';
import { repairedMessages } from './repair.ts';

/**
 * Repairs calls and results that are out of step, and remembers up to where a conversation was found in order: a
 * request that only adds to the one before is looked at from there on.
 */
export class StepCheck {
  #checked: readonly Message[] = [];

  /** The very same array when everything is in step. */
  inStep(messages: readonly Message[]): readonly Message[] {
    const before = this.#checked;
    const repaired = startsWith(messages, before) ? tailInStep(messages, before.length) : repairedMessages(messages);
    if (repaired === messages) this.#checked = messages;
    return repaired;
  }
}

/** What was in order ended with a user turn, so what stands behind it can be judged by itself. */
function tailInStep(messages: readonly Message[], from: number): readonly Message[] {
  if (from === messages.length) return messages;
  const tail = messages.slice(from);
  return tail[0]?.role === 'assistant' && repairedMessages(tail) === tail ? messages : repairedMessages(messages);
}

function startsWith(messages: readonly Message[], before: readonly Message[]): boolean {
  if (before.length === 0 || before.length > messages.length || before.at(-1)?.role !== 'user') return false;
  for (let at = 0; at < before.length; at += 1) if (before[at] !== messages[at]) return false;
  return true;
}
