import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ClaimcheckError } from '../core/errors.ts';
import type { Run, RunRecords } from '../core/run/run.ts';
import { expiry, type RunTable, runPartition } from './run-keys.ts';
import { type Item, isConditionFailed } from './table-pages.ts';

const absent = 'attribute_not_exists(pk)';
const stillAdmitted = '#status = :admitted';

/** Run headers in the runs table: `run#<runId>` / `run`. */
export class DynamoRunRecords implements RunRecords {
  readonly #table: RunTable;

  constructor(table: RunTable) {
    this.#table = table;
  }

  async admit(run: Run): Promise<{ readonly created: boolean; readonly run: Run }> {
    const { documents, table } = this.#table;
    const item = { ...key(run.runId), ...run, ttl: expiry(this.#table) };
    try {
      await documents.send(new PutCommand({ TableName: table, Item: item, ConditionExpression: absent }));
      return { created: true, run };
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
      return { created: false, run: await this.#mustGet(run.runId) };
    }
  }

  async get(runId: string): Promise<Run | undefined> {
    const { documents, table } = this.#table;
    const { Item: item } = await documents.send(
      new GetCommand({ TableName: table, Key: key(runId), ConsistentRead: true }),
    );
    return item === undefined ? undefined : runOf(item);
  }

  async close(
    runId: string,
    end: { readonly status: 'succeeded' | 'failed'; readonly failure?: string; readonly endedAt: string },
  ): Promise<Run> {
    const { documents, table } = this.#table;
    const failure = end.failure === undefined ? '' : ', #failure = :failure';
    try {
      const { Attributes: attributes } = await documents.send(
        new UpdateCommand({
          TableName: table,
          Key: key(runId),
          ConditionExpression: stillAdmitted,
          UpdateExpression: `SET #status = :status, #endedAt = :endedAt${failure}`,
          ExpressionAttributeNames: {
            '#status': 'status',
            '#endedAt': 'endedAt',
            ...(end.failure === undefined ? {} : { '#failure': 'failure' }),
          },
          ExpressionAttributeValues: {
            ':admitted': 'admitted',
            ':status': end.status,
            ':endedAt': end.endedAt,
            ...(end.failure === undefined ? {} : { ':failure': end.failure }),
          },
          ReturnValues: 'ALL_NEW',
        }),
      );
      return runOf(attributes ?? {});
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
      return this.#mustGet(runId);
    }
  }

  async #mustGet(runId: string): Promise<Run> {
    const run = await this.get(runId);
    if (run === undefined) throw new ClaimcheckError('NotFound', 'run: there is no such run');
    return run;
  }
}

function key(runId: string): { readonly pk: string; readonly sk: string } {
  return { pk: runPartition(runId), sk: 'run' };
}

function runOf(item: Item): Run {
  const { pk: _pk, sk: _sk, ttl: _ttl, ...run } = item;
  return run as unknown as Run;
}
