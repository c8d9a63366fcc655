import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { References } from '../core/wrap/references.ts';
import { withResultsByReference } from '../core/wrap/with-results-by-reference.ts';
import { resultsFolder } from '../files/results-folder.ts';
import { orderCount, orders } from './orders.ts';

/**
 * `node --import tsx examples/mcp.ts`: a wrapped tool stores 5 MB, and the official MCP client reads its last record,
 * walks its pages and computes over it through the stdio server; another owner finds nothing. No network.
 */
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const { store, catalogue } = resultsFolder(folder);
const ada = { owner: 'ada', session: 'example' };
const references = new References({ store, catalogue });
const tool = withResultsByReference(() => orders(1), { references, name: 'orders', context: () => ada });
const kept = await tool({});
const ref = 'stored' in kept ? kept.stored?.ref : undefined;

let largest = 0;
async function connect(owner: string): Promise<Client> {
  const server = join(import.meta.dirname, '../adapters/mcp/main.ts');
  const args = [
    '--import',
    'tsx',
    server,
    '--folder',
    folder,
    '--owner',
    owner,
    '--session',
    ada.session,
    '--analysis',
  ];
  const transport = new StdioClientTransport({ command: process.execPath, args });
  const client = new Client({ name: 'example', version: '1' });
  await client.connect(transport);
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    largest = Math.max(largest, Buffer.byteLength(JSON.stringify(message)));
    onmessage?.(message);
  };
  return client;
}
const words = (answer: object) =>
  (answer as { readonly content: readonly { readonly text: string }[] }).content[0]?.text;
const read = { name: 'read_result', arguments: { ref, offset: orderCount - 1 } };
const sql = `SELECT status, count(*) AS orders FROM data GROUP BY status ORDER BY orders`;

const [client, stranger] = [await connect('ada'), await connect('bob')];
const last = JSON.parse(words(await client.callTool(read)) ?? '') as { readonly data: readonly unknown[] };
let pages = 0;
for (let uri: string | null = `claimcheck://results/${ref}`; uri !== null; pages += 1) {
  const page = await client.readResource({ uri });
  uri = (page._meta as { readonly next: string | null }).next;
}
const counted = await client.callTool({ name: 'analyze_result', arguments: { inputs: { data: ref }, sql } });
const facts = {
  framework: 'mcp',
  resultBytes: Buffer.byteLength(JSON.stringify(orders(1))),
  lastRecord: JSON.stringify(last.data[0]),
  pages,
  counted: (JSON.parse(words(counted) ?? '') as { readonly rows: unknown }).rows,
  stranger: words(await stranger.callTool(read)),
  largestMessageBytes: largest,
};
await Promise.all([client.close(), stranger.close()]);
process.stdout.write(`${JSON.stringify(facts, null, 2)}\n`);
