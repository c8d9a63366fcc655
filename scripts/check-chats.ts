import { parseArgs } from 'node:util';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../aws/clients.ts';
import { dynamoChats } from '../aws/dynamo-chats.ts';
import { hasPassed } from '../core/chat/expiry.ts';
import { listChats } from '../core/chat/list-chats.ts';
import type { OwnerKey } from '../core/reference/owner-key.ts';
import { toolCatalogue } from '../core/tool/tool-definition.ts';

/**
 * `node --import tsx scripts/check-chats.ts --table CHATS --owner KEY`: counts an owner's live chats by a query of its
 * own and compares with what `GET /chats` would list, page by page. Exit status 1 when they differ. Region, credentials
 * and end points as the SDK finds them.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { table: { type: 'string' }, owner: { type: 'string' } } });
  if (values.table === undefined || values.owner === undefined) {
    process.stderr.write('check-chats: expected --table NAME and --owner KEY\n');
    return 2;
  }
  const owner = values.owner as OwnerKey;
  const now = new Date();
  const counted = await countLive(values.table, owner, now);
  const listed = await countListed(values.table, owner, now);
  const same = counted === listed.chats && counted === listed.total;
  process.stdout.write(
    `${JSON.stringify({ counted, listed: listed.chats, total: listed.total, pages: listed.pages, same })}\n`,
  );
  return same ? 0 : 1;
}

/** Deliberately not the code that the endpoint uses. */
async function countLive(table: string, owner: string, now: Date): Promise<number> {
  const client = documentClient();
  let live = 0;
  let from: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'pk = :owner AND begins_with(sk, :chat)',
        ProjectionExpression: '#ttl, #hidden',
        ExpressionAttributeNames: { '#ttl': 'ttl', '#hidden': 'hidden' },
        ExpressionAttributeValues: { ':owner': owner, ':chat': 'chat#' },
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      }),
    );
    for (const item of page.Items ?? []) {
      if (item['hidden'] !== true && !hasPassed(item['ttl'] as number | undefined, now)) live += 1;
    }
    from = page.LastEvaluatedKey;
  } while (from !== undefined && Object.keys(from).length > 0);
  return live;
}

async function countListed(table: string, owner: OwnerKey, now: Date) {
  const chats = dynamoChats(documentClient(), table);
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const sessions = new Set<string>();
  let total = 0;
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages += 1) {
    const options = { roles: [], tools: toolCatalogue([]), now, secret, ...(cursor === undefined ? {} : { cursor }) };
    const page = await listChats(chats, owner, options);
    for (const { session } of page.chats) sessions.add(session);
    total = page.total;
    cursor = page.cursor;
  }
  return { chats: sessions.size, total, pages };
}

process.exitCode = await main();
