import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Replacement, Replacements } from '../core/guard/replacements.ts';
import { expiry, type RunTable, runPartition } from './run-keys.ts';
import { type Item, isConditionFailed, itemsWithPrefix } from './table-pages.ts';

/**
 * A run's guard replacements: `run#<runId>` / `replace#<toolUseId>#<digest>`. One JSON text, so that the same bytes
 * come back; the digest keeps two results apart that a model's tool-use id does not.
 */
export class DynamoReplacements implements Replacements {
  readonly #table: RunTable;

  constructor(table: RunTable) {
    this.#table = table;
  }

  async all(runId: string): Promise<readonly Replacement[]> {
    return (await itemsWithPrefix(this.#table, runPartition(runId), 'replace#')).map(replacementOf);
  }

  async putIfAbsent(runId: string, replacement: Replacement): Promise<Replacement> {
    const { documents, table } = this.#table;
    const key = { pk: runPartition(runId), sk: `replace#${replacement.toolUseId}#${replacement.digest}` };
    try {
      await documents.send(
        new PutCommand({
          TableName: table,
          Item: { ...key, replacement: JSON.stringify(replacement), ttl: expiry(this.#table) },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      );
      return replacement;
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
      const { Item: item } = await documents.send(new GetCommand({ TableName: table, Key: key, ConsistentRead: true }));
      return item === undefined ? replacement : replacementOf(item);
    }
  }
}

function replacementOf(item: Item): Replacement {
  return JSON.parse(String(item['replacement'])) as Replacement;
}
