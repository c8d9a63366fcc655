import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Catalogue, CatalogueEntry, CataloguePage, VersionClaim } from '../core/catalogue/catalogue.ts';
import { ClaimcheckError } from '../core/errors.ts';
import type { OwnerKey } from '../core/reference/owner-key.ts';

/** Name of the index that lists an owner's entries by time: partition `pk`, sort `at`. */
export const catalogueByTime = 'byTime';

/** Rows outlive their results by this long, so that a run hears `Expired` about what it was granted (DESIGN 5.8). */
const keptAfterExpirySeconds = 2 * 24 * 3600;

/**
 * The `catalog` table (docs/contracts.md): partition = owner, sort = reference. Every request names the owner's
 * partition, so no argument reaches another owner's rows. Trouble in the table is `StorageUnavailable`.
 */
export class DynamoCatalogue implements Catalogue {
  readonly #client: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async add(entry: CatalogueEntry): Promise<void> {
    const { owner, ref, ...rest } = entry;
    const ttl = ttlOf(entry);
    await send(async () => {
      try {
        await this.#client.send(
          new PutCommand({
            TableName: this.#table,
            Item: { ...rest, pk: owner, sk: ref, at: timeKey(entry), ttl },
            ConditionExpression: 'attribute_not_exists(pk)',
          }),
        );
      } catch (error) {
        // The row of an earlier delivery of the same event stands.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    });
  }

  /** A claim has no time, so that no listing by time holds it, and no session's prefix in its key. */
  async claimVersion({ owner, session, tool, argumentDigest, version, ref, availableUntil }: VersionClaim) {
    const key = { pk: owner, sk: `version#${session}#${argumentDigest}#${tool}#${version}` };
    return send(async () => {
      try {
        await this.#client.send(
          new PutCommand({
            TableName: this.#table,
            Item: { ...key, holder: ref, ttl: ttlOf({ availableUntil }) },
            ConditionExpression: 'attribute_not_exists(pk)',
          }),
        );
        return ref;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        const held = await this.#client.send(
          new GetCommand({ TableName: this.#table, Key: key, ConsistentRead: true }),
        );
        // Gone in between by its date: then nobody else holds it either.
        return typeof held.Item?.['holder'] === 'string' ? held.Item['holder'] : ref;
      }
    });
  }

  async find(owner: OwnerKey, ref: string): Promise<CatalogueEntry | undefined> {
    const answer = await send(() =>
      // Consistent: a result that was just stored is read in the next turn.
      this.#client.send(new GetCommand({ TableName: this.#table, Key: { pk: owner, sk: ref }, ConsistentRead: true })),
    );
    return answer.Item === undefined ? undefined : entryOf(answer.Item);
  }

  async session(owner: OwnerKey, session: string): Promise<readonly CatalogueEntry[]> {
    const items = await this.#all({
      TableName: this.#table,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :session)',
      ExpressionAttributeValues: { ':pk': owner, ':session': `${session}/` },
      ConsistentRead: true,
    });
    return items.map(entryOf).sort((a, b) => (timeKey(a) < timeKey(b) ? -1 : 1));
  }

  async page(owner: OwnerKey, after: string | null, limit: number): Promise<CataloguePage> {
    const entries: CatalogueEntry[] = [];
    let start: Record<string, unknown> | undefined = after === null ? undefined : startKey(owner, after);
    do {
      const from = start;
      const answer = await send(() =>
        this.#client.send(
          new QueryCommand({
            TableName: this.#table,
            IndexName: catalogueByTime,
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: { ':pk': owner },
            ScanIndexForward: false,
            Limit: limit - entries.length,
            ...(from === undefined ? {} : { ExclusiveStartKey: from }),
          }),
        ),
      );
      entries.push(...(answer.Items ?? []).map(entryOf));
      start = lastKey(answer.LastEvaluatedKey);
      // A page ends at 1 MB whatever the limit, and may even be empty: only a missing last key is the end.
    } while (start !== undefined && entries.length < limit);
    const last = entries.at(-1);
    return { entries, last: start === undefined || last === undefined ? null : `${timeKey(last)} ${last.ref}` };
  }

  async usedBytes(owner: OwnerKey, now: string): Promise<number> {
    const items = await this.#all({
      TableName: this.#table,
      KeyConditionExpression: 'pk = :pk',
      FilterExpression: '#status = :stored AND availableUntil > :now',
      ExpressionAttributeNames: { '#status': 'status', '#bytes': 'bytes' },
      ExpressionAttributeValues: { ':pk': owner, ':stored': 'stored', ':now': now },
      ProjectionExpression: '#bytes',
    });
    return items.reduce((sum, item) => sum + Number(item['bytes'] ?? 0), 0);
  }

  /** All pages: a query stops at 1 MB before filter and projection (DESIGN 12). */
  async #all(query: QueryCommandInput): Promise<Record<string, unknown>[]> {
    const items: Record<string, unknown>[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const from = start;
      const answer = await send(() =>
        this.#client.send(new QueryCommand(from === undefined ? query : { ...query, ExclusiveStartKey: from })),
      );
      items.push(...(answer.Items ?? []));
      start = lastKey(answer.LastEvaluatedKey);
    } while (start !== undefined);
    return items;
  }
}

function ttlOf({ availableUntil }: Pick<CatalogueEntry, 'availableUntil'>): number {
  return Math.floor(Date.parse(availableUntil) / 1000) + keptAfterExpirySeconds;
}

/** ISO instants sort as text only when all have the same form. */
function timeKey(entry: Pick<CatalogueEntry, 'acquiredAt'>): string {
  return new Date(entry.acquiredAt).toISOString();
}

function startKey(owner: OwnerKey, after: string): Record<string, string> {
  const [at = '', ref = ''] = after.split(' ');
  return { pk: owner, sk: ref, at };
}

/** An empty map is no key: asking again with it would start over. */
function lastKey(key: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  return key === undefined || Object.keys(key).length === 0 ? undefined : key;
}

function entryOf(item: Record<string, unknown>): CatalogueEntry {
  const { pk, sk, at: _at, ttl: _ttl, ...rest } = item;
  return { ...rest, owner: pk, ref: sk } as unknown as CatalogueEntry;
}

async function send<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (cause) {
    if (cause instanceof ClaimcheckError) throw cause;
    throw new ClaimcheckError('StorageUnavailable', 'the catalogue cannot be reached now', {}, { cause });
  }
}
