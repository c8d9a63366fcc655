import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';

export type Item = Readonly<Record<string, unknown>>;

/** A table and the client that reaches it. */
export interface TableAccess {
  readonly documents: DynamoDBDocumentClient;
  readonly table: string;
}

/**
 * Every item of one partition whose sort key starts with `prefix`, in key order, strongly consistent. Follows the
 * page key to its end: a page of 1 MB may be followed by another, and an empty page may not be the last.
 * An empty prefix means the whole partition: DynamoDB refuses an empty text as a key value.
 */
export async function itemsWithPrefix({ documents, table }: TableAccess, pk: string, prefix: string): Promise<Item[]> {
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  const condition =
    prefix === ''
      ? {
          KeyConditionExpression: '#pk = :pk',
          ExpressionAttributeNames: { '#pk': 'pk' },
          ExpressionAttributeValues: { ':pk': pk },
        }
      : {
          KeyConditionExpression: '#pk = :pk and begins_with(#sk, :prefix)',
          ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
          ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
        };
  do {
    const page = await documents.send(
      new QueryCommand({
        TableName: table,
        ...condition,
        ConsistentRead: true,
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      }),
    );
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}

/** A conditional write that lost: the item stands there already. */
export function isConditionFailed(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConditionalCheckFailedException';
}
