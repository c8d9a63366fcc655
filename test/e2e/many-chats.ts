import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { newId } from '../../core/reference/reference.ts';
import { credentials, region } from '../../local/ministack.ts';
import type { LocalUser } from '../../local/users.ts';
import type { TestPlatform } from './platform.ts';

/** Puts chats into somebody's list, `Chat number 0` the oldest: headers alone, which is all that a list reads. */
export async function putChats(platform: TestPlatform, user: LocalUser, number: number): Promise<void> {
  const token = await platform.users.token(user, platform.handle.passwords[user]);
  const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as { sub: string };
  const client = new DynamoDBClient({ endpoint: platform.handle.emulatorUrl, region, credentials });
  const documents = DynamoDBDocumentClient.from(client);
  // In the future, so that they stand before whatever else the person has asked.
  const start = Date.now() + 3_600_000;
  const items = Array.from({ length: number }, (_, n) => {
    const at = new Date(start + n * 1000).toISOString();
    const facts = {
      title: `Chat number ${n}`,
      agent: 'assistant',
      turns: 1,
      createdAt: at,
      updatedAt: at,
      hidden: false,
    };
    return { pk: sub, sk: `chat#${newId()}`, ...facts, ttl: Math.floor(Date.now() / 1000) + 86_400 };
  });
  for (let from = 0; from < items.length; from += 25) {
    const requests = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    await documents.send(new BatchWriteCommand({ RequestItems: { [platform.output('ChatsTable')]: requests } }));
  }
  client.destroy();
}
