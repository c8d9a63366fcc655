import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Erasures } from '../core/run/flow-starter.ts';
import type { TableAccess } from './table-pages.ts';

/** Tombstones in the sessions table: `erased#<owner>` / `tombstone`. */
export class DynamoErasures implements Erasures {
  readonly #table: TableAccess;

  constructor(table: TableAccess) {
    this.#table = table;
  }

  async isErased(owner: string): Promise<boolean> {
    const { documents, table } = this.#table;
    const key = { pk: `erased#${owner}`, sk: 'tombstone' };
    const { Item: item } = await documents.send(new GetCommand({ TableName: table, Key: key, ConsistentRead: true }));
    return item !== undefined;
  }
}
