import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ClaimcheckError } from '../core/errors.ts';
import type { Outcomes } from '../core/run/outcomes.ts';
import { storedText, storedValue } from '../core/run/stored-text.ts';
import { expiry, four, type RunTable, runPartition } from './run-keys.ts';
import { type Item, isConditionFailed, itemsWithPrefix } from './table-pages.ts';

/** DynamoDB's item ends at 400 KB, names included; this leaves room for keys and escaping. */
const maxOutcomeBytes = 300 * 1024;

/** Outcomes in the runs table. The outcome is one JSON text: no nesting limit, no lost digits, no empty-key rules. */
export class DynamoOutcomes implements Outcomes {
  readonly #table: RunTable;

  constructor(table: RunTable) {
    this.#table = table;
  }

  async find<T>(runId: string, key: string): Promise<T | undefined> {
    const { documents, table } = this.#table;
    const { Item: item } = await documents.send(
      new GetCommand({
        TableName: table,
        Key: { pk: runPartition(runId), sk: sortKey(key) },
        ConsistentRead: true,
      }),
    );
    return item === undefined ? undefined : outcomeOf<T>(item);
  }

  async record<T>(runId: string, key: string, outcome: T): Promise<{ readonly created: boolean; readonly outcome: T }> {
    const text = storedText(outcome);
    const bytes = Buffer.byteLength(text, 'utf8');
    if (bytes > maxOutcomeBytes) {
      throw new ClaimcheckError(
        'OversizeResult',
        `outcome ${key}: expected at most ${maxOutcomeBytes} bytes, found ${bytes}`,
        { bytes, maxBytes: maxOutcomeBytes },
      );
    }
    const { documents, table } = this.#table;
    try {
      await documents.send(
        new PutCommand({
          TableName: table,
          Item: { pk: runPartition(runId), sk: sortKey(key), outcome: text, ttl: expiry(this.#table) },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      );
      return { created: true, outcome };
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
      return { created: false, outcome: (await this.find<T>(runId, key)) ?? outcome };
    }
  }

  async list<T>(runId: string, prefix: string): Promise<readonly { readonly key: string; readonly outcome: T }[]> {
    const items = await itemsWithPrefix(this.#table, runPartition(runId), sortPrefix(prefix));
    return items.map((item) => ({ key: outcomeKey(String(item['sk'])), outcome: outcomeOf<T>(item) }));
  }
}

/** `tool/3/0` ↔ `tool#0003#0000`: whole-number parts are padded, so that key order is number order. */
function sortKey(key: string): string {
  return key
    .split('/')
    .map((part) => (/^\d{1,4}$/.test(part) ? four(Number(part)) : part))
    .join('#');
}

/** A prefix ends at a part's end: `tool/1` must not find turn 10, and padding makes sure of it. */
function sortPrefix(prefix: string): string {
  return sortKey(prefix);
}

function outcomeKey(sort: string): string {
  return sort
    .split('#')
    .map((part) => (/^\d{4}$/.test(part) ? String(Number(part)) : part))
    .join('/');
}

function outcomeOf<T>(item: Item): T {
  return storedValue(String(item['outcome'])) as T;
}
