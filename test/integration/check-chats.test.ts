import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoChats } from '../../aws/dynamo-chats.ts';
import { everyPage } from '../../aws/dynamo-query.ts';
import { liveChats } from '../../core/chat/list-chats.ts';
import { showChats } from '../../core/http/chat-routes.ts';
import type { HttpRequest } from '../../core/http/request.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import { toolCatalogue } from '../../core/tool/tool-definition.ts';
import { TableServer } from '../fakes/table-server.ts';

const checkout = join(__dirname, '../..');
const tables = new TableServer();
const owner = ownerKey('ada');
const number = 50;
let documents: DynamoDBDocumentClient;

beforeAll(async () => {
  documents = await tables.start();
  await tables.table('chats');
  const now = Math.floor(Date.now() / 1000);
  // Two and a half pages of headers in all; a fifth of them is hidden or past its date, as many on every page: by ids that
  // were drawn, the first page would now and then hold too few that are listed.
  for (let at = 0; at < number; at += 1) {
    const ttl = at % 10 === 3 ? now - 60 : now + 86_400;
    const Item = {
      pk: owner,
      sk: `chat#${String(at).padStart(32, '0')}`,
      title: `chat ${at}`,
      ttl,
      filler: 'f'.repeat(52_000),
    };
    const dates = { updatedAt: new Date(1e12 + at * 1000).toISOString(), createdAt: '2026-01-01T00:00:00Z' };
    await documents.send(
      new PutCommand({ TableName: 'chats', Item: { ...Item, ...dates, ...(at % 10 === 7 ? { hidden: true } : {}) } }),
    );
  }
}, 30_000);
afterAll(() => tables.stop());

/** The table as a listing sees it that takes its first page for the whole. */
function onePageOnly(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  const send = async (command: QueryCommand) => {
    const page = await client.send(command);
    return command instanceof QueryCommand ? { ...page, LastEvaluatedKey: undefined } : page;
  };
  return new Proxy(client, { get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)) });
}

/** `GET /chats` over this view of the table, and what the check says about it. */
async function checked(client: DynamoDBDocumentClient) {
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '', 'http://x');
    const viewer = { roles: [], tools: toolCatalogue([]), now: new Date() };
    showChats({ query: url.searchParams } as HttpRequest, { owner } as never, {
      ...{ chats: dynamoChats(client, 'chats'), viewer: async () => viewer, clock: { now: () => new Date() } },
      ...{ sealingSecret: async () => new Uint8Array(32).fill(3), agents: [], publicBaseUrl: 'http://x' },
    }).then(
      ({ statusCode, body }) => outgoing.writeHead(statusCode, { 'content-type': 'application/json' }).end(body),
      (error) => outgoing.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  try {
    return await check('--table', 'chats', '--owner', owner, '--url', `http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

async function check(...args: readonly string[]) {
  const endpoint = await documents.config.endpoint?.();
  const url = `${endpoint?.protocol}//${endpoint?.hostname}:${endpoint?.port}`;
  const environment = {
    ...{ AWS_ENDPOINT_URL_DYNAMODB: url, AWS_REGION: 'eu-central-1', CLAIMCHECK_TOKEN: 'any' },
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  };
  return new Promise<{ code: number; answer: unknown }>((done) => {
    const program = ['--import', 'tsx', join(checkout, 'scripts/check-chats.ts'), ...args];
    const child = execFile(
      process.execPath,
      program,
      { cwd: checkout, env: { ...process.env, ...environment } },
      (_e, out) => done({ code: child.exitCode ?? -1, answer: out === '' ? undefined : JSON.parse(out) }),
    );
  });
}

const live = number * 0.8;

it('what the endpoint returns is what a query of its own counts', async () => {
  expect(await checked(documents)).toEqual({
    code: 0,
    answer: { counted: live, listed: live, total: live, pages: 1, same: true },
  });
  expect(await check('--table', 'chats', '--owner', owner)).toMatchObject({
    code: 0,
    answer: { listed: live, same: true },
  });
}, 60_000);

it('a listing that takes the first page for the whole shows 40 %, and fails the check', async () => {
  const part = await liveChats(dynamoChats(onePageOnly(documents), 'chats'), owner, new Date());
  const { code, answer } = await checked(onePageOnly(documents));
  expect(code).toBe(1);
  expect(answer).toMatchObject({ counted: live, listed: part.length, total: part.length, same: false });
  expect(part.length / live).toBeGreaterThan(0.3);
  expect(part.length / live).toBeLessThan(0.5);
  let pages = 0;
  const query = { TableName: 'chats', KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': owner } };
  for await (const _ of everyPage(documents, query)) pages += 1;
  expect(pages).toBe(3);
}, 60_000);

it('says what it needs', async () => {
  expect(await check('--table', 'chats')).toEqual({ code: 2, answer: undefined });
}, 30_000);
