import type { MessageBlock } from '../content/block.ts';

/** One message of an agent's thread in a run. Turn numbers are unique in a run, across its agents. */
export interface RunMessage {
  readonly agent: string;
  readonly turn: number;
  readonly role: 'user' | 'assistant';
  readonly content: readonly MessageBlock[];
}

/**
 * The conversation of a run, one stored item per content block, create-only. Order: by turn; within a turn the
 * assistant's message, then the user message with the tool results. Turn 0 holds the opening user message.
 */
export interface RunMessages {
  /** Create-only: a repeat answers without writing. */
  append(runId: string, message: RunMessage): Promise<void>;
  /**
   * Throws `StorageUnavailable` when a message is written in part only: its writer died and a repeat completes it.
   * A run that has failed has nobody to do so: `leaveOutUnfinished` gives the messages that are whole.
   */
  thread(
    runId: string,
    agent: string,
    options?: { readonly leaveOutUnfinished?: boolean },
  ): Promise<readonly RunMessage[]>;
  find(runId: string, turn: number, role: 'user' | 'assistant'): Promise<RunMessage | undefined>;
}
