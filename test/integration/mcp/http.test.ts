import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { mcpHttpServer } from '../../../adapters/mcp/http.ts';
import { jwtVerifier } from '../../../aws/jwt-verifier.ts';
import { References } from '../../../core/wrap/references.ts';
import { FileCatalogue } from '../../../files/file-catalogue.ts';
import { FileResultStore } from '../../../files/file-result-store.ts';
import { OidcProvider } from '../../fakes/oidc-provider.ts';
import { nowSeconds } from '../../fakes/token-maker.ts';
import { rowsOf, store } from './stored.ts';

jest.setTimeout(20_000);
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-mcp-'));
const references = new References({ store: new FileResultStore(folder), catalogue: new FileCatalogue(folder) });
const provider = new OidcProvider();
const clients: Client[] = [];
const chat = 'c'.repeat(32);
let server: Server;
let port = 0;
let ref = '';
let largest = 0;

const token = (sub: string, claims: Record<string, unknown> = {}) =>
  provider.tokens.sign({ iss: provider.url, aud: 'results', sub, exp: nowSeconds() + 600, ...claims });

beforeAll(async () => {
  await provider.start();
  port = await freePort();
  server = mcpHttpServer({
    references,
    resource: `http://127.0.0.1:${port}/mcp`,
    authorizationServers: [provider.url],
    tokens: jwtVerifier({
      kind: 'oidc',
      issuer: provider.url,
      clientId: 'results',
      jwksUri: `${provider.url}/jwks`,
      local: true,
    }),
    origins: ['https://console.test'],
    maxSessions: 12,
    admit: (claims, session) => ({ owner: String(claims['sub']), session: session ?? 'mcp' }),
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  ref = await store(references, { owner: 'ada', session: chat }, { rows: rowsOf(55_000) });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  server.closeAllConnections();
  server.close();
  provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function connect(bearer: string, session?: string) {
  const headers = {
    Authorization: `Bearer ${bearer}`,
    ...(session === undefined ? {} : { 'Claimcheck-Session': session }),
  };
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
    requestInit: { headers },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (response.headers.get('content-type')?.includes('json') !== true) return response;
      const text = await response.text();
      largest = Math.max(largest, Buffer.byteLength(text));
      return new Response(text, response);
    },
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  clients.push(client);
  return { client, sessionId: transport.sessionId as string };
}

const words = (result: object) => (result as { content: { text: string }[] }).content[0]?.text ?? '';

it('a session is a run of the token’s owner: it reads its chat to the last record, another owner finds nothing', async () => {
  const { client } = await connect(token('ada'), chat);
  expect(words(await client.callTool({ name: 'read_result', arguments: { ref, offset: 54_999 } }))).toContain(
    'the last one',
  );
  const page = JSON.parse(words(await client.callTool({ name: 'read_result', arguments: { ref, limit: 1_000 } })));
  expect(page.coverage.loaded).toBeGreaterThan(200);
  const bob = await connect(token('bob'), chat);
  const answer = await bob.client.callTool({ name: 'read_result', arguments: { ref } });
  expect(words(answer)).toMatch(/^NotFound: /);
  // Her own, but of a chat that this session was not admitted to.
  const elsewhere = await connect(token('ada'));
  expect(await elsewhere.client.callTool({ name: 'read_result', arguments: { ref } })).toEqual(answer);
  expect(words(await bob.client.callTool({ name: 'list_results', arguments: {} }))).toContain('"total":0');
  process.stdout.write(`largest message: ${largest} bytes\n`);
  expect(largest).toBeLessThanOrEqual(100 * 1024);
});

it('the id of a session is no permission: with another owner’s token it does not exist', async () => {
  const { sessionId } = await connect(token('ada'), chat);
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'read_result', arguments: { ref } },
  });
  const post = (bearer: string) =>
    send(
      { method: 'POST', headers: { ...mcpHeaders, Authorization: `Bearer ${bearer}`, 'Mcp-Session-Id': sessionId } },
      call,
    );
  expect((await post(token('ada'))).status).toBe(200);
  expect((await post(token('bob'))).status).toBe(404);
});

it.each([
  ['no token', () => ({}), 401],
  ['a token for another audience', () => ({ Authorization: `Bearer ${token('ada', { aud: 'somebody-else' })}` }), 401],
  ['an expired token', () => ({ Authorization: `Bearer ${token('ada', { exp: nowSeconds() - 5 })}` }), 401],
  ['a token of another issuer', () => ({ Authorization: `Bearer ${token('ada', { iss: 'https://evil.test' })}` }), 401],
  ['a rebound name', () => ({ Authorization: `Bearer ${token('ada')}`, Host: 'evil.test' }), 421],
  ['a page of another origin', () => ({ Authorization: `Bearer ${token('ada')}`, Origin: 'https://evil.test' }), 403],
  ['a page of ours', () => ({ Authorization: `Bearer ${token('ada')}`, Origin: 'https://console.test' }), 200],
])('%s', async (_, headers, status) => {
  const answer = await send({ method: 'POST', headers: { ...mcpHeaders, ...headers() } }, JSON.stringify(initialise));
  expect(answer.status).toBe(status);
  if (status === 401)
    expect(answer.headers['www-authenticate']).toMatch(
      /^Bearer .*resource_metadata="http:\/\/127.0.0.1:\d+\/\.well-known\/oauth-protected-resource\/mcp"$/,
    );
});

it('the metadata names the issuer; a message above the bound is refused unread', async () => {
  const metadata = await send({ method: 'GET', path: '/.well-known/oauth-protected-resource/mcp', headers: {} }, '');
  expect(JSON.parse(metadata.body)).toMatchObject({ authorization_servers: [provider.url] });
  const huge = await send(
    { method: 'POST', headers: { ...mcpHeaders, Authorization: `Bearer ${token('ada')}` } },
    ' '.repeat(110_000),
  );
  expect(huge.status).toBe(413);
});

it('no answer is larger than the bound: many requests in one message are refused, and an id that is a text of its own', async () => {
  const { sessionId } = await connect(token('ada'), chat);
  const headers = { ...mcpHeaders, Authorization: `Bearer ${token('ada')}`, 'Mcp-Session-Id': sessionId };
  const call = (id: unknown) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'read_result', arguments: { ref, limit: 1_000 } },
  });
  const alone = await send({ method: 'POST', headers }, JSON.stringify(call('i'.repeat(128))));
  expect(alone.status).toBe(200);
  expect(Buffer.byteLength(alone.body)).toBeGreaterThan(50 * 1024);
  for (const body of [[call(1), call(2), call(3)], call('i'.repeat(60_000))]) {
    const answer = await send({ method: 'POST', headers }, JSON.stringify(body));
    expect(Buffer.byteLength(answer.body)).toBeLessThanOrEqual(100 * 1024);
    expect(answer.status).toBe(400);
  }
});

it('an owner who opens session after session closes no other owner’s, only those of its own', async () => {
  const quiet = await connect(token('ada'), chat);
  const greedy = [];
  for (let time = 0; time < 20; time += 1) greedy.push(await connect(token('eve')));
  expect(words(await quiet.client.callTool({ name: 'read_result', arguments: { ref, limit: 1 } }))).toContain('"id"');
  await expect(greedy[0]?.client.listTools()).rejects.toThrow('there is no such session');
  expect((await greedy.at(-1)?.client.listTools())?.tools.length).toBeGreaterThan(0);
});

const mcpHeaders = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const initialise = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

function send(options: { method: string; path?: string; headers: Record<string, string> }, body: string) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, path: '/mcp', ...options }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port: free } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return free;
}
