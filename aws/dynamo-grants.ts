import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Grant, Grants } from '../core/run/run.ts';
import { expiry, type RunTable, runPartition } from './run-keys.ts';
import { type Item, isConditionFailed, itemsWithPrefix } from './table-pages.ts';

/** Grants in the runs table: `run#<runId>` / `grant#<ref>`, create-only. */
export class DynamoGrants implements Grants {
  readonly #table: RunTable;

  constructor(table: RunTable) {
    this.#table = table;
  }

  async give(runId: string, grant: Grant): Promise<void> {
    const { documents, table } = this.#table;
    try {
      await documents.send(
        new PutCommand({
          TableName: table,
          Item: { pk: runPartition(runId), sk: `grant#${grant.ref}`, ...grant, ttl: expiry(this.#table) },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      );
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
    }
  }

  async find(runId: string, ref: string): Promise<Grant | undefined> {
    const { documents, table } = this.#table;
    const { Item: item } = await documents.send(
      new GetCommand({
        TableName: table,
        Key: { pk: runPartition(runId), sk: `grant#${ref}` },
        ConsistentRead: true,
      }),
    );
    return item === undefined ? undefined : grantOf(item);
  }

  async all(runId: string): Promise<readonly Grant[]> {
    return (await itemsWithPrefix(this.#table, runPartition(runId), 'grant#')).map(grantOf);
  }
}

function grantOf(item: Item): Grant {
  return { ref: String(item['ref']), via: item['via'] as Grant['via'], grantedAt: String(item['grantedAt']) };
}
