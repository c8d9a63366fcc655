import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { cognitoRoles } from '../../../aws/cognito-roles.ts';
import { tableRoles } from '../../../aws/role-table.ts';
import { TableServer } from '../../fakes/table-server.ts';

/** Cognito's wire protocol for one operation: pages of three, and whatever trouble a test asks for. */
class CognitoServer {
  groups: readonly string[] = [];
  /** Answers to give before the good ones. */
  readonly trouble: (readonly [status: number, type: string])[] = [];
  readonly bodies: Record<string, unknown>[] = [];
  silent = false;
  /** The how manyeth request fails. */
  failFrom = 0;
  readonly #server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const body = JSON.parse(text) as Record<string, unknown>;
    this.bodies.push(body);
    if (this.silent) return;
    const failing = this.failFrom === this.bodies.length ? ([500, 'InternalErrorException'] as const) : undefined;
    const trouble = failing ?? this.trouble.shift();
    if (trouble !== undefined) {
      response.writeHead(trouble[0], { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify({ __type: trouble[1], message: 'no' }));
      return;
    }
    const from = Number(body['NextToken'] ?? 0);
    const page = this.groups.slice(from, from + 3).map((GroupName) => ({ GroupName }));
    const next = from + 3 < this.groups.length ? { NextToken: String(from + 3) } : {};
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ Groups: page, ...next }));
  });

  async start(): Promise<CognitoIdentityProviderClient> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    return new CognitoIdentityProviderClient({ endpoint, region: 'eu-central-1', credentials, maxAttempts: 1 });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const cognito = new CognitoServer();
const tables = new TableServer();
let client: CognitoIdentityProviderClient;
const roles = () => cognitoRoles(client, 'eu-central-1_abc').rolesOf({ username: 'olivia' });

beforeAll(async () => {
  client = await cognito.start();
});
beforeEach(() => {
  cognito.groups = ['a', 'b', 'c', 'd', 'e', 'f', 'the-tail'];
  cognito.trouble.length = 0;
  cognito.bodies.length = 0;
  cognito.silent = false;
  cognito.failFrom = 0;
});
afterAll(() => {
  client.destroy();
  cognito.stop();
  tables.stop();
});

test('every page of groups is read, by user name', async () => {
  await expect(roles()).resolves.toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'the-tail']);
  expect(cognito.bodies).toHaveLength(3);
  for (const body of cognito.bodies) expect(body).toMatchObject({ Username: 'olivia', UserPoolId: 'eu-central-1_abc' });
});

test('throttling is repeated within the second, on any page', async () => {
  cognito.trouble.push([400, 'TooManyRequestsException'], [400, 'TooManyRequestsException']);
  const began = Date.now();
  await expect(roles()).resolves.toContain('the-tail');
  expect(Date.now() - began).toBeLessThan(1_000);
});

test('throttling without an end, an error and silence are refusals, within about a second', async () => {
  cognito.trouble.push(...Array.from({ length: 60 }, () => [400, 'TooManyRequestsException'] as const));
  const began = Date.now();
  await expect(roles()).rejects.toMatchObject({ name: 'TooManyRequestsException' });
  expect(Date.now() - began).toBeLessThan(1_200);
  cognito.trouble.length = 0;
  cognito.trouble.push([500, 'InternalErrorException']);
  await expect(roles()).rejects.toMatchObject({ name: 'InternalErrorException' });
  cognito.silent = true;
  const waiting = Date.now();
  await expect(roles()).rejects.toThrow();
  expect(Date.now() - waiting).toBeLessThan(1_500);
});

test('a failure on the last page gives no half list', async () => {
  cognito.failFrom = 3;
  await expect(roles()).rejects.toMatchObject({ name: 'InternalErrorException' });
  expect(cognito.bodies).toHaveLength(3);
});

test('somebody who is gone holds no role', async () => {
  cognito.trouble.push([400, 'UserNotFoundException']);
  await expect(roles()).resolves.toEqual([]);
});

test('the table source reads lists and sets, knows nobody else, and does not guess', async () => {
  const documents = await tables.start();
  const table = await tables.table('roles', { sortKey: false });
  const put = (pk: string, value: unknown) =>
    documents.send(new PutCommand({ TableName: table, Item: { pk, roles: value } }));
  const rolesOf = (username: string) => tableRoles(documents, table).rolesOf({ username });
  await put('olivia', ['ops', 'analyst']);
  await put('set', new Set(['ops']));
  await put('text', 'ops');
  await expect(rolesOf('olivia')).resolves.toEqual(['ops', 'analyst']);
  await expect(rolesOf('set')).resolves.toEqual(['ops']);
  await expect(rolesOf('nobody')).resolves.toEqual([]);
  await expect(rolesOf('text')).rejects.toThrow('expected a list');
  await put('olivia', ['analyst']);
  await expect(rolesOf('olivia')).resolves.toEqual(['analyst']);
  tables.stop();
  await expect(rolesOf('olivia')).rejects.toThrow();
});
