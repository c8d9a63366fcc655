import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { MessageBlock } from '../core/content/block.ts';
import { ClaimcheckError } from '../core/errors.ts';
import type { RunMessage, RunMessages } from '../core/run/messages.ts';
import { storedText, storedValue, textPieces } from '../core/run/stored-text.ts';
import { expiry, four, type RunTable, runPartition } from './run-keys.ts';
import { type Item, isConditionFailed, itemsWithPrefix } from './table-pages.ts';

/** Part of a block in one item, UTF-8 bytes: an item ends at 400 KB, names and keys included. */
const partBytes = 300 * 1024;

/**
 * A run's conversation in the runs table, one item per content block (`msg#<turn>#<agent>#<a|u>#<block>`); a block
 * over 300 KB continues in items with a further `#<part>`. Each item says how many blocks the message has, so half a
 * message is recognised. What is appended under one key is the same at every repeat (it follows from recorded
 * outcomes), so create-only writes heal an interrupted one.
 */
export class DynamoMessages implements RunMessages {
  readonly #table: RunTable;

  constructor(table: RunTable) {
    this.#table = table;
  }

  async append(runId: string, message: RunMessage): Promise<void> {
    const blocks = message.content.length;
    for (const [number, block] of message.content.entries()) {
      const parts = textPieces(storedText(block), partBytes);
      for (const [part, text] of parts.entries()) {
        await this.#put(runId, {
          sk: blockKey(message, number) + (part === 0 ? '' : `#${four(part)}`),
          agent: message.agent,
          turn: message.turn,
          role: message.role,
          number,
          blocks,
          part,
          parts: parts.length,
          block: text,
        });
      }
    }
  }

  async thread(
    runId: string,
    agent: string,
    options: { readonly leaveOutUnfinished?: boolean } = {},
  ): Promise<readonly RunMessage[]> {
    const items = await itemsWithPrefix(this.#table, runPartition(runId), 'msg#');
    const messages = assembled(items, options.leaveOutUnfinished === true);
    return messages.filter((message) => message.agent === agent).sort(byTurn);
  }

  async find(runId: string, turn: number, role: 'user' | 'assistant'): Promise<RunMessage | undefined> {
    const items = await itemsWithPrefix(this.#table, runPartition(runId), `msg#${four(turn)}#`);
    return assembled(items.filter((item) => item['role'] === role))[0];
  }

  async #put(runId: string, item: Item): Promise<void> {
    const { documents, table } = this.#table;
    try {
      await documents.send(
        new PutCommand({
          TableName: table,
          Item: { pk: runPartition(runId), ...item, ttl: expiry(this.#table) },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      );
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
    }
  }
}

function blockKey(message: RunMessage, number: number): string {
  return `msg#${four(message.turn)}#${message.agent}#${message.role === 'assistant' ? 'a' : 'u'}#${four(number)}`;
}

/** `a` sorts before `u`: within a turn the assistant's message stands before the results of its tool calls. */
function byTurn(left: RunMessage, right: RunMessage): number {
  return left.turn - right.turn || (left.role === right.role ? 0 : left.role === 'assistant' ? -1 : 1);
}

function assembled(items: readonly Item[], leaveOut = false): RunMessage[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = `${String(item['turn'])}/${String(item['agent'])}/${String(item['role'])}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return [...groups.values()].flatMap((group) => {
    try {
      return [messageOf(group)];
    } catch (error) {
      if (leaveOut && error instanceof ClaimcheckError) return [];
      throw error;
    }
  });
}

function messageOf(items: readonly Item[]): RunMessage {
  const first = items[0] as Item;
  const texts = new Map<number, string[]>();
  for (const item of items) {
    const number = Number(item['number']);
    const parts = texts.get(number) ?? [];
    parts[Number(item['part'])] = String(item['block']);
    texts.set(number, parts);
  }
  const content = Array.from({ length: Number(first['blocks']) }, (_, number) => {
    const parts = texts.get(number);
    const wanted = Number(items.find((item) => Number(item['number']) === number)?.['parts'] ?? 1);
    if (parts === undefined || parts.filter((part) => part !== undefined).length !== wanted) {
      throw new ClaimcheckError('StorageUnavailable', 'messages: a message of this run is not completely written yet', {
        turn: Number(first['turn']),
        block: number,
      });
    }
    return storedValue(parts.join('')) as MessageBlock;
  });
  return {
    agent: String(first['agent']),
    turn: Number(first['turn']),
    role: first['role'] as RunMessage['role'],
    content,
  };
}
