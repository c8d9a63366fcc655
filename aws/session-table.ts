import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { OwnerKey } from '../core/reference/owner-key.ts';
import type { Session, SessionStore } from '../core/session/session.ts';

/**
 * Sign-in sessions: `session#<digest>` / `session`, and `session#owner#<owner>` / `<digest>` so that an owner's
 * sign-ins can be found. The pointer is written first: a session that cannot be found for erasure never exists.
 */
export function sessionTable(documents: DynamoDBDocumentClient, table: string): SessionStore {
  const key = (digest: string) => ({ pk: `session#${digest}`, sk: 'session' });
  const pointer = (owner: string, digest: string) => ({ pk: `session#owner#${owner}`, sk: digest });
  const find = async (digest: string): Promise<Session | undefined> => {
    const { Item: item } = await documents.send(
      new GetCommand({ TableName: table, Key: key(digest), ConsistentRead: true }),
    );
    if (item === undefined) return undefined;
    const { owner, expiresAt, tokensExpireAt, sealedTokens } = item as Omit<Session, 'digest'>;
    return { digest, owner, expiresAt, tokensExpireAt, sealedTokens };
  };
  return {
    create: async (session) => {
      const { digest, ...kept } = session;
      const ttl = session.expiresAt;
      await documents.send(new PutCommand({ TableName: table, Item: { ...pointer(session.owner, digest), ttl } }));
      await documents.send(
        new PutCommand({
          TableName: table,
          Item: { ...key(digest), ...kept, ttl },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      );
    },
    find,
    renew: async (session, previousExpiry) => {
      try {
        await documents.send(
          new UpdateCommand({
            TableName: table,
            Key: key(session.digest),
            UpdateExpression: 'SET tokensExpireAt = :expires, sealedTokens = :tokens',
            ConditionExpression: 'tokensExpireAt = :previous',
            ExpressionAttributeValues: {
              ':expires': session.tokensExpireAt,
              ':tokens': session.sealedTokens,
              ':previous': previousExpiry,
            },
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
        throw error;
      }
    },
    end: async (digest) => {
      try {
        await documents.send(
          new UpdateCommand({
            TableName: table,
            Key: key(digest),
            UpdateExpression: 'SET expiresAt = :over, sealedTokens = :none',
            ConditionExpression: 'attribute_exists(pk)',
            ExpressionAttributeValues: { ':over': 0, ':none': '' },
          }),
        );
      } catch (error) {
        if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error;
      }
    },
    remove: async (digest) => {
      const session = await find(digest);
      await documents.send(new DeleteCommand({ TableName: table, Key: key(digest) }));
      if (session !== undefined) {
        await documents.send(new DeleteCommand({ TableName: table, Key: pointer(session.owner, digest) }));
      }
    },
    ofOwner: async (owner: OwnerKey) => {
      const digests: string[] = [];
      let start: Record<string, unknown> | undefined;
      do {
        const page = await documents.send(
          new QueryCommand({
            TableName: table,
            KeyConditionExpression: 'pk = :owner',
            ExpressionAttributeValues: { ':owner': `session#owner#${owner}` },
            ConsistentRead: true,
            ...(start === undefined ? {} : { ExclusiveStartKey: start }),
          }),
        );
        for (const item of page.Items ?? []) digests.push(String(item['sk']));
        start = page.LastEvaluatedKey;
      } while (start !== undefined);
      return digests;
    },
  };
}
