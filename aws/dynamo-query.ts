import {
  type DynamoDBDocumentClient,
  type NativeAttributeValue,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';

type Item = Record<string, NativeAttributeValue>;

/** A query that repeats a throttled page this often, besides what the client itself retries. */
const throttleRetries = 5;

/**
 * Every page of a query, short and empty ones included: a page is the last one only when it comes without a key
 * (an empty map is no key). A throttled page is asked for again, never skipped.
 */
export async function* everyPage(
  client: Pick<DynamoDBDocumentClient, 'send'>,
  query: Omit<QueryCommandInput, 'ExclusiveStartKey'>,
  onCapacity?: (units: number) => void,
): AsyncIterable<readonly Item[]> {
  let from: QueryCommandInput['ExclusiveStartKey'];
  do {
    const page = await sendThroughThrottling(client, {
      ...query,
      ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      ...(onCapacity === undefined ? {} : { ReturnConsumedCapacity: 'TOTAL' }),
    });
    onCapacity?.(page.ConsumedCapacity?.CapacityUnits ?? 0);
    yield page.Items ?? [];
    const next = page.LastEvaluatedKey;
    from = next !== undefined && Object.keys(next).length > 0 ? next : undefined;
  } while (from !== undefined);
}

async function sendThroughThrottling(client: Pick<DynamoDBDocumentClient, 'send'>, query: QueryCommandInput) {
  for (let tried = 0; ; tried += 1) {
    try {
      return await client.send(new QueryCommand(query));
    } catch (error) {
      if (!isThrottling(error) || tried === throttleRetries) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2_000, 50 * 2 ** tried)));
    }
  }
}

function isThrottling(error: unknown): boolean {
  const name = (error as { readonly name?: string } | undefined)?.name;
  return (
    name === 'ProvisionedThroughputExceededException' ||
    name === 'ThrottlingException' ||
    name === 'RequestLimitExceeded'
  );
}

export function isConditionFailure(error: unknown): boolean {
  return (error as { readonly name?: string } | undefined)?.name === 'ConditionalCheckFailedException';
}
