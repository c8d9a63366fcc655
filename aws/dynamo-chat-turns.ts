import { createHash } from 'node:crypto';
import {
  type DynamoDBDocumentClient,
  type NativeAttributeValue,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { ChatTurn, NumberedTurn } from '../core/chat/chat.ts';
import { itemBytes, maxItemBytes } from '../core/chat/item-size.ts';
import { decodeTurn, encodeTurn } from '../core/chat/turn-body.ts';
import { everyPage, isConditionFailure } from './dynamo-query.ts';

type Item = Record<string, NativeAttributeValue>;

/** Bytes of a body in one part: leaves room for keys, and rounds to whole write units. */
const partBytes = 380 * 1024;

/**
 * The attributes that hold a turn's body: the text itself where the item stays below 400 KB, else the number and
 * digest of parts that are written here, before anything names them. A save that dies half way leaves parts that no
 * turn names; they go with the chat's date.
 */
export async function writeParts(
  client: DynamoDBDocumentClient,
  table: string,
  pk: string,
  turn: ChatTurn,
  ttl: number | undefined,
): Promise<Item> {
  const body = encodeTurn(turn);
  const alone = { pk, sk: 'turn#000000', runId: turn.runId, at: turn.at, ttl: ttl ?? 0, body };
  if (itemBytes(alone) < maxItemBytes) return { body };
  const bytes = Buffer.from(body, 'utf8');
  const digest = digestOf(bytes);
  const parts = Math.ceil(bytes.length / partBytes);
  for (let part = 0; part < parts; part += 1) {
    await client.send(
      new PutCommand({
        TableName: table,
        Item: {
          pk,
          sk: `${partPrefix(turn.runId, digest)}${String(part).padStart(4, '0')}`,
          data: bytes.subarray(part * partBytes, (part + 1) * partBytes),
          ttl,
        },
      }),
    );
  }
  return { parts, digest };
}

/** All turns of a chat, oldest first, those in parts put together and checked. */
export async function readTurns(
  client: DynamoDBDocumentClient,
  table: string,
  pk: string,
): Promise<readonly NumberedTurn[]> {
  const turns: NumberedTurn[] = [];
  for await (const items of everyPage(client, byPrefix(table, pk, 'turn#'))) {
    for (const item of items) {
      const n = Number(String(item['sk']).slice('turn#'.length));
      const body = typeof item['body'] === 'string' ? item['body'] : await readParts(client, table, pk, item);
      turns.push({ ...decodeTurn(body), n });
    }
  }
  return turns;
}

/** Items that are given a later date at a time. */
const prolongedAtOnce = 8;

/** Gives every item of a chat whose date is earlier the date `ttl` (whole seconds); none is ever given an earlier one. */
export async function prolongItems(
  client: DynamoDBDocumentClient,
  table: string,
  pk: string,
  ttl: number,
): Promise<void> {
  const query = {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ProjectionExpression: 'sk, #ttl',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':pk': pk },
  };
  for await (const items of everyPage(client, query)) {
    const early = items.filter((item) => Number(item['ttl'] ?? ttl) < ttl);
    for (let at = 0; at < early.length; at += prolongedAtOnce) {
      await Promise.all(
        early.slice(at, at + prolongedAtOnce).map((item) => prolong(client, table, { pk, sk: item['sk'] }, ttl)),
      );
    }
  }
}

async function prolong(client: DynamoDBDocumentClient, table: string, Key: Item, ttl: number): Promise<void> {
  try {
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key,
        UpdateExpression: 'SET #ttl = :ttl',
        ConditionExpression: '#ttl < :ttl',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':ttl': ttl },
      }),
    );
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
  }
}

async function readParts(client: DynamoDBDocumentClient, table: string, pk: string, turn: Item): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const items of everyPage(
    client,
    byPrefix(table, pk, partPrefix(String(turn['runId']), String(turn['digest']))),
  )) {
    for (const item of items) if (item['data'] instanceof Uint8Array) pieces.push(item['data']);
  }
  const bytes = Buffer.concat(pieces);
  if (pieces.length !== Number(turn['parts']) || digestOf(bytes) !== turn['digest'])
    throw new Error('chat: the parts of a turn do not match its digest');
  return bytes.toString('utf8');
}

function byPrefix(table: string, pk: string, prefix: string) {
  return {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
  };
}

/** The digest keeps the parts of a repeated save, composed at another instant, apart from those that a turn names. */
const partPrefix = (runId: string, digest: string) => `part#${runId}#${digest.slice(0, 16)}#`;
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
