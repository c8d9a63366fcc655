import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { newId } from '../core/reference/reference.ts';
import type { Attempts, ClaimedAttempt } from '../core/run/outcomes.ts';
import { expiry, four, type RunTable, runPartition } from './run-keys.ts';

/** Attempts in the runs table: one atomic update claims the number and a result id of its own. */
export class DynamoAttempts implements Attempts {
  readonly #table: RunTable;

  constructor(table: RunTable) {
    this.#table = table;
  }

  async claim(runId: string, turn: number, index: number): Promise<ClaimedAttempt> {
    const { documents, table } = this.#table;
    const resultId = newId();
    const { Attributes: attributes } = await documents.send(
      new UpdateCommand({
        TableName: table,
        Key: { pk: runPartition(runId), sk: `attempt#${four(turn)}#${four(index)}` },
        UpdateExpression: 'SET #ids = list_append(if_not_exists(#ids, :none), :id), #ttl = :ttl',
        ExpressionAttributeNames: { '#ids': 'ids', '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':none': [], ':id': [resultId], ':ttl': expiry(this.#table) },
        ReturnValues: 'ALL_NEW',
      }),
    );
    const ids = (attributes?.['ids'] ?? [resultId]) as readonly string[];
    // A client that repeated this very update after a lost answer has appended twice; the last is ours either way.
    const place = ids.lastIndexOf(resultId);
    return { attempt: place + 1, resultId, earlierIds: ids.slice(0, place).filter((id) => id !== resultId) };
  }
}
