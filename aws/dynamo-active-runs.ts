import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { ActiveRuns } from '../core/run/flow-starter.ts';
import type { RunTable } from './run-keys.ts';
import { itemsWithPrefix } from './table-pages.ts';

/**
 * Runs that have not ended, in the runs table: `active#<owner>` / `<runId>`. An entry counts for `maxAgeSeconds`, after
 * which its run may do nothing any more; the removal by TTL comes later and is not relied on.
 */
export class DynamoActiveRuns implements ActiveRuns {
  readonly #table: RunTable;
  readonly #maxAgeSeconds: number;

  constructor(table: RunTable, maxAgeSeconds: number) {
    this.#table = table;
    this.#maxAgeSeconds = maxAgeSeconds;
  }

  async enter(owner: string, runId: string): Promise<readonly string[]> {
    const { documents, table, clock } = this.#table;
    const now = Math.floor(clock.now().getTime() / 1000);
    const until = now + this.#maxAgeSeconds;
    await documents.send(
      new PutCommand({ TableName: table, Item: { pk: `active#${owner}`, sk: runId, until, ttl: until } }),
    );
    const entered = await itemsWithPrefix(this.#table, `active#${owner}`, '');
    return entered.filter((item) => Number(item['until']) > now).map((item) => String(item['sk']));
  }

  async leave(owner: string, runId: string): Promise<void> {
    const { documents, table } = this.#table;
    await documents.send(new DeleteCommand({ TableName: table, Key: { pk: `active#${owner}`, sk: runId } }));
  }
}
