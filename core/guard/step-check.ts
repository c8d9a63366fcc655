import type { Message } from '../content/block.ts';
import { openCalls, repairedMessages } from './repair.ts';

/**
 * Repairs calls and results that are out of step, and remembers up to where a conversation was found in order: a
 * request that only adds to the one before is looked at from there on.
 */
export class StepCheck {
  #checked: readonly Message[] = [];

  /** The very same array when everything is in step. */
  inStep(messages: readonly Message[]): readonly Message[] {
    const from = startsWith(messages, this.#checked) ? this.#checked.length : 0;
    // What was in order left no call open, so what stands behind it can be judged by itself.
    const open = openCalls(messages, from, []);
    if (open === undefined || open.length > 0) return repairedMessages(messages);
    this.#checked = messages;
    return messages;
  }
}

function startsWith(messages: readonly Message[], before: readonly Message[]): boolean {
  if (before.length > messages.length) return false;
  for (let at = 0; at < before.length; at += 1) if (before[at] !== messages[at]) return false;
  return true;
}
