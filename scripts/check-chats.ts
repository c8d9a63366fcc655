import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../aws/clients.ts';
import { dynamoChats } from '../aws/dynamo-chats.ts';
import { hasPassed } from '../core/chat/expiry.ts';
import { listChats } from '../core/chat/list-chats.ts';
import type { OwnerKey } from '../core/reference/owner-key.ts';
import { toolCatalogue } from '../core/tool/tool-definition.ts';
import { argumentsOf, refuse } from './arguments.ts';

const command = {
  name: 'check-chats',
  usage: `npm run -s check-chats -- --table CHATS --owner KEY [--url BASE]

Counts an owner's live chats in the table and compares with what GET /chats lists. Exit status 1 when they differ.

  --table CHATS  the chats table
  --owner KEY    the owner key
  --url BASE     the deployed address, asked with the bearer token in CLAIMCHECK_TOKEN (default: the endpoint's own code)
`,
  options: { table: 'the name of the chats table', owner: 'an owner key', url: 'an address' },
} as const;

/**
 * Counts an owner's live chats by a query of its own and compares with what `GET /chats` lists, page by page: at the
 * deployed address `--url`, with the owner's bearer token in `CLAIMCHECK_TOKEN`; without it, by the code that the
 * endpoint uses. Prints `{counted, listed, total, pages, same}`; exit status 1 when they differ, 2 for bad input.
 * Region, credentials and end points as the SDK finds them.
 */
async function main(): Promise<number> {
  const { table, owner: key, url } = argumentsOf(command).values;
  if (table === undefined) return refuse(command, '--table: expected the name of the chats table');
  if (key === undefined) return refuse(command, '--owner: expected an owner key');
  const owner = key as OwnerKey;
  const now = new Date();
  const counted = await countLive(table, owner, now);
  const pages = url === undefined ? ownPages(table, owner, now) : servedPages(url);
  const sessions: string[] = [];
  let total = 0;
  let number = 0;
  for await (const page of pages) {
    sessions.push(...page.sessions);
    total = page.total;
    number += 1;
  }
  // Counted with what is listed twice, and without: either would be a wrong list.
  const listed = sessions.length;
  const same = counted === listed && counted === total && new Set(sessions).size === listed;
  process.stdout.write(`${JSON.stringify({ counted, listed, total, pages: number, same })}\n`);
  return same ? 0 : 1;
}

interface ListedPage {
  readonly sessions: readonly string[];
  readonly total: number;
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

async function* ownPages(table: string, owner: OwnerKey, now: Date): AsyncIterable<ListedPage> {
  const chats = dynamoChats(documentClient(), table);
  const secret = crypto.getRandomValues(new Uint8Array(32));
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const options = { roles: [], tools: toolCatalogue([]), now, secret, ...(cursor === undefined ? {} : { cursor }) };
    const page = await listChats(chats, owner, options);
    yield { sessions: page.chats.map(({ session }) => session), total: page.total };
    cursor = page.cursor;
  }
}

async function* servedPages(baseUrl: string): AsyncIterable<ListedPage> {
  // A token on the command line would stand in the shell's history.
  const authorization = `Bearer ${process.env['CLAIMCHECK_TOKEN'] ?? ''}`;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(`${baseUrl}/chats${query}`, { headers: { authorization } });
    if (response.status !== 200) throw new Error(`GET /chats answered ${response.status}`);
    const page = (await response.json()) as { chats: { session: string }[]; total: number; next_cursor: string | null };
    yield { sessions: page.chats.map(({ session }) => session), total: page.total };
    cursor = page.next_cursor;
  }
}

process.exitCode = await main();
