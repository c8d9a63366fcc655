import {
  type DynamoDBDocumentClient,
  GetCommand,
  type NativeAttributeValue,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { ChatHeader, Chats, ChatTurn, NumberedTurn } from '../core/chat/chat.ts';
import { expirySeconds, hasPassed } from '../core/chat/expiry.ts';
import { ClaimcheckError } from '../core/errors.ts';
import type { OwnerKey } from '../core/reference/owner-key.ts';
import { collisionRetry } from './collision-retry.ts';
import { prolongItems, readTurns, writeParts } from './dynamo-chat-turns.ts';
import { everyPage, isConditionFailure } from './dynamo-query.ts';

type Item = Record<string, NativeAttributeValue>;

/**
 * Turns are kept this much longer than their chat, in seconds (7 days): so the date of those before need not be moved
 * with every turn that prolongs the chat, but once in this time at most.
 */
const turnMargin = 7 * 86_400;
/** Seconds by which turns saved at the same time elsewhere may have an earlier date than the one remembered. */
const raceMargin = 3_600;

/** Claims are remembered for this many turns; a repeat that comes later is recognised by the run's own record. */
const rememberedSaves = 64;

/**
 * Saved chats in the `chats` table (docs/contracts.md). Headers stand under `<owner>`, bodies under
 * `<owner>#<session>`, so that no listing can touch a body. Items of one chat:
 * `sequence` (version, next number, which run has which number, the earliest date of the chat's items),
 * `turn#<n>`, `part#<runId>#<digest>#<k>` for turns that do not fit one item. Each turn moves the chat's date on; no
 * item of it has an earlier date than the header, so a chat ends whole.
 */
export function dynamoChats(
  client: DynamoDBDocumentClient,
  table: string,
  wait?: (milliseconds: number) => Promise<void>,
): Chats {
  const headerKey = (owner: OwnerKey, session: string) => ({ pk: owner, sk: `chat#${session}` });
  const chatKey = (owner: OwnerKey, session: string) => `${owner}#${session}`;

  async function header(owner: OwnerKey, session: string): Promise<ChatHeader | undefined> {
    const key = headerKey(owner, session);
    const { Item } = await client.send(new GetCommand({ TableName: table, Key: key, ConsistentRead: true }));
    return Item === undefined ? undefined : headerOf(owner, Item);
  }

  async function* headers(owner: OwnerKey): AsyncIterable<readonly ChatHeader[]> {
    const pages = everyPage(client, {
      TableName: table,
      KeyConditionExpression: 'pk = :owner AND begins_with(sk, :chat)',
      ExpressionAttributeValues: { ':owner': owner, ':chat': 'chat#' },
    });
    for await (const items of pages) yield items.map((item) => headerOf(owner, item));
  }

  /** Gives this run the next number, or the one that it already has: one versioned item, so no number is lost or shared. */
  async function reserve(
    pk: string,
    runId: string,
    ttl: number | undefined,
  ): Promise<{ n: number; keptUntil: number | undefined }> {
    return collisionRetry(
      async () => {
        const { Item } = await client.send(
          new GetCommand({ TableName: table, Key: { pk, sk: 'sequence' }, ConsistentRead: true }),
        );
        const saves = (Item?.['saves'] ?? []) as readonly { readonly runId: string; readonly n: number }[];
        const keptUntil: number | undefined = Item?.['keptUntil'] ?? Item?.['ttl'] ?? ttl;
        const known = saves.find((save) => save.runId === runId);
        if (known !== undefined) return { n: known.n, keptUntil };
        const version = Number(Item?.['version'] ?? 0);
        const n = Number(Item?.['next'] ?? 0);
        await client.send(
          new PutCommand({
            TableName: table,
            Item: {
              pk,
              sk: 'sequence',
              version: version + 1,
              next: n + 1,
              saves: [...saves, { runId, n }].slice(-rememberedSaves),
              keptUntil,
              ttl: ttl === undefined ? undefined : Math.max(ttl, Number(Item?.['ttl'] ?? 0)),
            },
            ...(Item === undefined
              ? { ConditionExpression: 'attribute_not_exists(pk)' }
              : { ConditionExpression: 'version = :seen', ExpressionAttributeValues: { ':seen': version } }),
          }),
        );
        return { n, keptUntil };
      },
      { wait },
    );
  }

  async function save(
    owner: OwnerKey,
    session: string,
    turn: ChatTurn,
    chat: { readonly title: string; readonly expiresAt: number; readonly now: Date },
  ): Promise<{ readonly n: number; readonly created: boolean }> {
    const standing = await header(owner, session);
    if (standing !== undefined && hasPassed(standing.expiresAt, chat.now)) {
      throw new ClaimcheckError('Expired', 'this chat is past its date and cannot be continued; start a new one');
    }
    const pk = chatKey(owner, session);
    // A chat without a date stays without one.
    const undated = standing !== undefined && standing.expiresAt === undefined;
    const until = Math.max(chat.expiresAt, expirySeconds(standing?.expiresAt ?? 0));
    const ttl = undated ? undefined : until + turnMargin;
    // Parts first: they belong to nothing until the turn's own item names them.
    const body = await writeParts(client, table, pk, turn, ttl);
    const { n, keptUntil } = await reserve(pk, turn.runId, ttl);
    const created = await putTurn(pk, n, turn, body, ttl);
    if (ttl !== undefined && Number(keptUntil) < until + raceMargin) {
      // Before the header: at no instant does the chat promise a turn that is about to go.
      await prolongItems(client, table, pk, ttl);
      await rememberKept(pk, ttl);
    }
    await putHeader(owner, session, turn, chat.title, n, undated ? undefined : until);
    return { n, created };
  }

  async function rememberKept(pk: string, keptUntil: number): Promise<void> {
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key: { pk, sk: 'sequence' },
        UpdateExpression: 'SET keptUntil = :until',
        ExpressionAttributeValues: { ':until': keptUntil },
      }),
    );
  }

  async function putTurn(pk: string, n: number, turn: ChatTurn, body: Item, ttl: number | undefined) {
    const sk = `turn#${String(n).padStart(6, '0')}`;
    try {
      await client.send(
        new PutCommand({
          TableName: table,
          Item: { pk, sk, runId: turn.runId, at: turn.at, ttl, ...body },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      );
      return true;
    } catch (error) {
      // The number is this run's alone, so what stands there is this run's turn, saved before.
      if (isConditionFailure(error)) return false;
      throw error;
    }
  }

  async function putHeader(
    owner: OwnerKey,
    session: string,
    turn: ChatTurn,
    title: string,
    n: number,
    ttl: number | undefined,
  ): Promise<void> {
    const Key = headerKey(owner, session);
    const first = {
      title: 'title = if_not_exists(title, :title)',
      agent: '#agent = if_not_exists(#agent, :agent)',
      createdAt: 'createdAt = if_not_exists(createdAt, :at)',
      ...(ttl === undefined ? {} : { ttl: '#ttl = :ttl' }),
    };
    const addGates = turn.gates.length === 0 ? '' : ' ADD gates :gates';
    const values = {
      ...(turn.gates.length === 0 ? {} : { ':gates': new Set(turn.gates) }),
    };
    try {
      await client.send(
        new UpdateCommand({
          TableName: table,
          Key,
          UpdateExpression: `SET ${Object.values(first).join(', ')}, turns = :turns, updatedAt = :at${addGates}`,
          ConditionExpression: 'attribute_not_exists(turns) OR turns < :turns',
          // Both names are reserved words.
          ExpressionAttributeNames: { '#agent': 'agent', ...(ttl === undefined ? {} : { '#ttl': 'ttl' }) },
          ExpressionAttributeValues: {
            ':title': title,
            ':agent': turn.agent,
            ':at': turn.at,
            ':turns': n + 1,
            ...(ttl === undefined ? {} : { ':ttl': ttl }),
            ...values,
          },
        }),
      );
    } catch (error) {
      if (!isConditionFailure(error)) throw error;
      // A later turn is counted already; only this turn's gates may still be missing.
      if (turn.gates.length === 0) return;
      await client.send(
        new UpdateCommand({
          TableName: table,
          Key,
          UpdateExpression: 'ADD gates :gates',
          ExpressionAttributeValues: values,
        }),
      );
    }
  }

  async function turns(owner: OwnerKey, session: string): Promise<readonly NumberedTurn[]> {
    return readTurns(client, table, chatKey(owner, session));
  }

  async function hide(owner: OwnerKey, session: string): Promise<boolean> {
    try {
      await client.send(
        new UpdateCommand({
          TableName: table,
          Key: headerKey(owner, session),
          UpdateExpression: 'SET #hidden = :yes',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeNames: { '#hidden': 'hidden' },
          ExpressionAttributeValues: { ':yes': true },
        }),
      );
      return true;
    } catch (error) {
      if (isConditionFailure(error)) return false;
      throw error;
    }
  }

  return { header, headers, save, turns, hide };
}

function headerOf(owner: OwnerKey, item: Item): ChatHeader {
  const gates: unknown = item['gates'];
  return {
    owner,
    session: String(item['sk']).slice('chat#'.length),
    title: String(item['title'] ?? ''),
    agent: String(item['agent'] ?? ''),
    createdAt: String(item['createdAt'] ?? ''),
    updatedAt: String(item['updatedAt'] ?? ''),
    turns: Number(item['turns'] ?? 0),
    hidden: item['hidden'] === true,
    ...(item['ttl'] === undefined ? {} : { expiresAt: Number(item['ttl']) }),
    gates: gates instanceof Set ? [...gates].map(String).sort() : [],
  };
}
