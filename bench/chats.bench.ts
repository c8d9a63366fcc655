import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoChats } from '../aws/dynamo-chats.ts';
import { everyPage } from '../aws/dynamo-query.ts';
import { itemBytes } from '../core/chat/item-size.ts';
import { listChats } from '../core/chat/list-chats.ts';
import { ownerKey } from '../core/reference/owner-key.ts';
import { newId } from '../core/reference/reference.ts';
import { toolCatalogue } from '../core/tool/tool-definition.ts';
import { TableServer } from '../test/fakes/table-server.ts';

/** Listing 10,000 chats: headers alone are read. Bodies of 300 KB each would be 3 GB; they stand under other keys. */
const count = 10_000;
const bodyBytes = 300_000;
const owner = ownerKey('0f8fad5b-d9cb-469f-a165-70867728950e');
const server = new TableServer();
const documents = await server.start();
try {
  await server.table('chats');
  let header = 0;
  for (let from = 0; from < count; from += 25) {
    const items = Array.from({ length: 25 }, (_, k) => {
      const at = new Date(Date.UTC(2026, 0, 1) + (from + k) * 60_000).toISOString();
      const title = `Which of the regions fails most often in week ${from + k}, and what does it cost us?`;
      const item = {
        pk: owner,
        sk: `chat#${newId()}`,
        title,
        agent: 'assistant',
        createdAt: at,
        updatedAt: at,
        turns: 4,
        ttl: 1_900_000_000,
        gates: new Set(['status_listing', 'search_notes']),
      };
      header = Math.max(header, itemBytes(item));
      return { PutRequest: { Item: item } };
    });
    await documents.send(new BatchWriteCommand({ RequestItems: { chats: items } }));
  }
  let units = 0;
  let pages = 0;
  const query = { TableName: 'chats', KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': owner } };
  for await (const _ of everyPage(documents, query, (consumed) => {
    units += consumed;
  })) {
    pages += 1;
  }
  // An eventually consistent unit is half a read of 4 KB.
  const read = units * 2 * 4_096;
  const started = performance.now();
  const page = await listChats(dynamoChats(documents, 'chats'), owner, {
    roles: [],
    tools: toolCatalogue([]),
    now: new Date('2026-11-30T00:00:00Z'),
    secret: new Uint8Array(32),
    limit: 50,
  });
  const took = performance.now() - started;
  const show = (what: string, value: string) => process.stdout.write(`${what.padEnd(52)} ${value}\n`);
  show('chats, largest header', `${page.total}, ${header} bytes`);
  show('consumed capacity', `${units} units in ${pages} pages`);
  show('read for the list (target < 4 MB)', `${(read / 1e6).toFixed(2)} MB`);
  show(
    'with the bodies it would be',
    `${((count * bodyBytes) / 1e6).toFixed(0)} MB = ${Math.round((count * bodyBytes) / read)} ×`,
  );
  show('first page of 50, from a local table server', `${took.toFixed(0)} ms`);
  if (page.total !== count || read >= 4e6) process.exitCode = 1;
} finally {
  server.stop();
}
