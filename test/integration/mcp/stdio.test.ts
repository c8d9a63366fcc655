import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { References } from '../../../core/wrap/references.ts';
import { FileCatalogue } from '../../../files/file-catalogue.ts';
import { FileResultStore } from '../../../files/file-result-store.ts';
import { rowsOf, store } from './stored.ts';

jest.setTimeout(120_000);
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-mcp-'));
const root = join(import.meta.dirname, '../../..');
const clients: Client[] = [];
const ada = { owner: 'Ada', session: 'chat 1' };
let ref = '';

async function connect(
  owner: string,
  ...more: readonly string[]
): Promise<{ readonly client: Client; readonly largest: () => number }> {
  const args = [
    '--import',
    'tsx',
    'adapters/mcp/main.ts',
    '--folder',
    folder,
    '--owner',
    owner,
    '--session',
    'chat 1',
    ...more,
  ];
  const transport = new StdioClientTransport({ command: process.execPath, args, cwd: root });
  const client = new Client({ name: 'test', version: '1' });
  let largest = 0;
  await client.connect(transport);
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    largest = Math.max(largest, Buffer.byteLength(JSON.stringify(message)));
    onmessage?.(message);
  };
  clients.push(client);
  return { client, largest: () => largest };
}

beforeAll(async () => {
  const references = new References({ store: new FileResultStore(folder), catalogue: new FileCatalogue(folder) });
  // 5 MB, all of it on one line.
  ref = await store(references, ada, { rows: rowsOf(55_000) });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  rmSync(folder, { recursive: true, force: true });
});

it('the official client lists, reads the last record, walks resources in bounded pages; nobody else finds anything', async () => {
  const { client, largest } = await connect('Ada');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['list_results', 'read_result']);

  const list = await client.callTool({ name: 'list_results', arguments: {} });
  expect(list.content).toContainEqual(
    expect.objectContaining({ type: 'resource_link', uri: `claimcheck://results/${ref}` }),
  );

  const last = await client.callTool({ name: 'read_result', arguments: { ref, offset: 54_999 } });
  expect((last.content as { text: string }[])[0]?.text).toContain('the last one');
  const many = await client.callTool({ name: 'read_result', arguments: { ref, limit: 1_000 } });
  const page = JSON.parse((many.content as { text: string }[])[0]?.text ?? '');
  expect(page.coverage).toMatchObject({ requested: 1_000, selection_complete: false });
  expect(page.coverage.loaded).toBeGreaterThan(200);

  const listed = await client.listResources();
  expect(listed.resources.map(({ uri }) => uri)).toEqual([`claimcheck://results/${ref}`]);
  let uri: string | null = `claimcheck://results/${ref}?offset=54000&fields=id,note`;
  let seen = 0;
  let text = '';
  while (uri !== null) {
    const read = await client.readResource({ uri });
    text = String((read.contents[0] as { text: string }).text);
    seen += (JSON.parse(text) as { data: unknown[] }).data.length;
    uri = (read._meta as { next: string | null }).next;
  }
  expect(seen).toBe(1_000);
  expect(text).toContain('the last one');

  const other = await connect('Bob');
  const refused = await other.client.callTool({ name: 'read_result', arguments: { ref } });
  const unknown = await other.client.callTool({
    name: 'read_result',
    arguments: { ref: `${'0'.repeat(32)}/${'1'.repeat(32)}` },
  });
  expect(refused.isError).toBe(true);
  expect(refused.content).toEqual(unknown.content);
  expect((refused.content as { text: string }[])[0]?.text).toMatch(/^NotFound: /);
  await expect(other.client.readResource({ uri: `claimcheck://results/${ref}` })).rejects.toThrow(/NotFound/);
  await expect(client.readResource({ uri: `claimcheck://results/../../etc` })).rejects.toThrow(/BadReference|expected/);

  process.stdout.write(`largest message: ${largest()} bytes\n`);
  expect(largest()).toBeLessThanOrEqual(100 * 1024);
  expect(largest()).toBeGreaterThan(50 * 1024);
});

it('a record wider than a message comes in parts that are walked to the last record; no address leads to itself', async () => {
  const references = new References({ store: new FileResultStore(folder), catalogue: new FileCatalogue(folder) });
  const context = { owner: 'Cleo', session: 'chat 1' };
  const wide = { id: 0, text: '中文'.repeat(100_000) };
  const two = await store(references, context, [wide, { id: 1, note: 'the last one' }]);
  const escaped = await store(references, context, [{ id: 0, text: '"\\'.repeat(200_000) }]);

  const { client, largest } = await connect('Cleo');
  const parts: string[] = [];
  const rows: object[] = [];
  const visited = new Set<string>();
  let uri: string | null = `claimcheck://results/${two}`;
  while (uri !== null) {
    expect(visited.has(uri)).toBe(false);
    visited.add(uri);
    const read = await client.readResource({ uri });
    const { data } = JSON.parse(String((read.contents[0] as { text: string }).text)) as {
      readonly data: readonly { readonly part?: number; readonly text?: string }[];
    };
    for (const each of data) {
      if (each.part === undefined) rows.push(each);
      else parts.push(each.text ?? '');
    }
    uri = (read._meta as { next: string | null }).next;
  }
  expect(JSON.parse(parts.join(''))).toEqual(wide);
  expect(parts.length).toBeGreaterThan(5);
  expect(rows).toEqual([{ id: 1, note: 'the last one' }]);
  await expect(client.readResource({ uri: `claimcheck://results/${escaped}` })).rejects.toThrow(/SelectionTooLarge/);
  expect(largest()).toBeLessThanOrEqual(100 * 1024);
});

it('a message above the bound is answered by an error, and others before, beside and behind it are answered', async () => {
  const { client, largest } = await connect('Ada');
  const long = (bytes: number) =>
    client.callTool({ name: 'read_result', arguments: { ref, fields: ['x'.repeat(bytes)] } }).then(
      ({ isError }) => `answered ${isError}`,
      ({ message }: Error) => message,
    );
  // Each within the bound, and several in one piece of the pipe.
  expect(await Promise.all([1, 2, 3, 4].map(() => long(90_000)))).toEqual(Array(4).fill('answered true'));
  const [before, over, behind] = await Promise.all([long(10), long(1_000_000), long(10)]);
  expect([before, behind]).toEqual(['answered true', 'answered true']);
  expect(over).toMatch(/too large: 102400 bytes at most/);
  const last = await client.callTool({ name: 'read_result', arguments: { ref, offset: 54_999 } });
  expect(JSON.stringify(last.content)).toContain('the last one');
  expect(largest()).toBeLessThanOrEqual(100 * 1024);
}, 30_000);

it('with an engine it offers analyze_result, in bounded messages; nobody else’s reference is computed over', async () => {
  const { client, largest } = await connect('Ada', '--analysis');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['list_results', 'read_result', 'analyze_result']);
  const words = (result: object) => (result as { content: { text: string }[] }).content[0]?.text ?? '';
  const sql = `SELECT count(*) AS n, max(id) AS last FROM data WHERE note = 'the last one'`;
  const answer = await client.callTool({ name: 'analyze_result', arguments: { inputs: { data: ref }, sql } });
  expect(JSON.parse(words(answer))).toMatchObject({ rows: [[1, 54_999]], row_count: 1 });
  const all = await client.callTool({
    name: 'analyze_result',
    arguments: { inputs: { data: ref }, sql: 'SELECT * FROM data' },
  });
  expect(JSON.parse(words(all))).toMatchObject({ row_count: 55_000 });
  expect(largest()).toBeLessThanOrEqual(100 * 1024);
  expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([true, true, false]);
  const other = await connect('Bob', '--analysis');
  const refused = await other.client.callTool({ name: 'analyze_result', arguments: { inputs: { data: ref }, sql } });
  expect(refused.isError).toBe(true);
  expect(words(refused)).toMatch(/^NotFound: /);
});

it('the example: 5 MB stored, read, walked and computed over by the official client; its largest message printed', async () => {
  const args = ['--import', 'tsx', join(root, 'examples/mcp.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  process.stdout.write(stdout);
  const facts = JSON.parse(stdout);
  expect(facts.resultBytes).toBeGreaterThan(5_000_000);
  expect(facts.lastRecord).toContain('"id":41999');
  expect(facts.pages).toBeGreaterThan(50);
  expect(facts.counted).toEqual([
    ['lost', 1],
    ['sent', 41_999],
  ]);
  expect(facts.stranger).toMatch(/^NotFound: /);
  expect(facts.largestMessageBytes).toBeLessThanOrEqual(100 * 1024);
});

it.each([
  [['--help'], 0, /^usage: claimcheck-mcp --folder FOLDER/],
  [['--folders', 'x'], 2, /Unknown option '--folders'.*\nusage: claimcheck-mcp/],
  [['--folder', 'x'], 2, /^usage: claimcheck-mcp/],
])('called with %j it ends with %i and says how it is used', async (given, code, said) => {
  const args = ['--import', 'tsx', 'adapters/mcp/main.ts', ...given];
  const ended = await promisify(execFile)(process.execPath, args, { cwd: root }).then(
    ({ stdout }) => ({ code: 0, words: stdout }),
    ({ code: exit, stderr }: { code: number; stderr: string }) => ({ code: exit, words: stderr }),
  );
  expect(ended.code).toBe(code);
  expect(ended.words).toMatch(said);
});
