import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import { exportRows } from '../../../core/export/export-rows.ts';
import { MemorySpool } from '../../../core/export/spool.ts';
import { isRunning } from '../../../local/command.ts';
import { seedOrders } from '../../../local/orders-seed.ts';
import { connected, type LocalPostgres, planDatabase, startPostgres } from '../../../local/postgres.ts';
import { connect, connectionSettings } from '../../../tools/orders/connection.ts';
import { ordersInput } from '../../../tools/orders/query.ts';
import { batchRows, orderRows } from '../../../tools/orders/rows.ts';
import { exported, lines } from '../../unit/export/exported.ts';

jest.setTimeout(240_000);
const rows = 1_000_000;
let folder: string;
let server: LocalPostgres;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'claimcheck-orders-'));
  server = await startPostgres(await planDatabase(folder));
  await connected(server.ownerUrl, (client) => seedOrders(client, rows, 1));
});
afterAll(async () => {
  await server?.stop();
  if (server !== undefined) expect(isRunning(server.pid)).toBe(false);
  rmSync(folder, { recursive: true, force: true });
});

/** As the tool connects: by its own settings, as the reader. */
const asTool = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
  const client = await connect(await connectionSettings({ CLAIMCHECK_ORDERS_URL: server.plan.url }, async () => ''));
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};
const ask = (input: object) => asTool((client) => exported(orderRows(client, ordersInput.parse(input))));

test.each([
  ['below the matches', { country: 'DE', limit: 1_000 }, 125_000, 1_000],
  ['at the matches', { country: 'IS', limit: 1 }, 1, 1],
  ['above the matches', { country: 'IS', limit: 50 }, 1, 1],
  ['one page in the middle', { country: 'DE', limit: 10, offset: 124_995 }, 125_000, 5],
  ['no match', { country: 'XX' }, 0, 0],
  ['an offset past the end', { country: 'DE', offset: 125_000 }, 125_000, 0],
  ['a limit of nothing', { limit: 0 }, rows, 0],
])('the total is true: %s', async (_name, input, total, count) => {
  const list = await ask(input);
  expect(list).toMatchObject({ total, rows: count });
  expect(list.columns).not.toContain('total_matching');
  expect(list.csv.split('\r\n')).toHaveLength(count + 2);
});

test('input is data: what looks like SQL matches nothing and changes nothing', async () => {
  expect(await ask({ customer: "x' OR '1'='1" })).toMatchObject({ total: 0, rows: 0 });
  expect(() => ordersInput.parse({ country: "DE' --" })).toThrow();
  expect(() => ordersInput.parse({ owner: 'somebody' })).toThrow();
  await expect(asTool((client) => client.query('DELETE FROM orders'))).rejects.toThrow(/read-only|permission/);
});

test('types as the database has them: digits of a numeric, numbers, booleans, instants, null', async () => {
  const { typed, csv } = await ask({ country: 'IS' });
  expect(lines(typed)).toEqual([
    {
      id: rows,
      order_number: 'SO-1000000',
      customer: 'Zebra Last Ltd',
      country: 'IS',
      status: 'shipped',
      amount: '12345678.90',
      items: 5,
      paid: true,
      note: '=1+1',
      ordered_at: '2026-08-20T11:33:20.000Z',
    },
  ]);
  expect(csv.split('\r\n')[1]).toBe(
    "1000000,SO-1000000,Zebra Last Ltd,IS,shipped,12345678.90,5,true,'=1+1,2026-08-20T11:33:20.000Z",
  );
});

test('a million rows: the tail record is in both files, and rows come a batch at a time', async () => {
  const files = { csv: join(folder, 'all.csv'), typed: join(folder, 'all.ndjson') };
  const to = (path: string) => async (pieces: AsyncIterable<Uint8Array>) => {
    const file = openSync(path, 'w');
    for await (const piece of pieces) writeSync(file, piece);
    closeSync(file);
  };
  let most = 0;
  const result = await asTool((client) => {
    const source = orderRows(client, ordersInput.parse({ limit: 5_000_000 }));
    const counted = (async function* () {
      for await (const batch of source.rows) {
        most = Math.max(most, (batch as unknown[]).length);
        yield batch;
      }
    })();
    return exportRows(
      { ...source, rows: counted },
      { csv: to(files.csv), typed: to(files.typed) },
      { inlineBytes: 4_000, makeSpool: () => new MemorySpool() },
    );
  });
  expect(result).toMatchObject({ kept: true, total: rows, rows });
  expect(most).toBe(batchRows);
  expect(tail(files.csv)).toContain("1000000,SO-1000000,Zebra Last Ltd,IS,shipped,12345678.90,5,true,'=1+1,");
  expect(JSON.parse(tail(files.typed).trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ id: rows, note: '=1+1' });
  expect(lineCount(files.typed)).toBe(rows);
});

test('the cursor never holds more than one batch: the next is asked for when the one before was taken', async () => {
  await asTool(async (client) => {
    const socket = (client as unknown as { connection: { stream: { bytesRead: number } } }).connection.stream;
    const source = orderRows(client, ordersInput.parse({ limit: 100_000 }));
    const batches = (source.rows as AsyncIterable<readonly unknown[]>)[Symbol.asyncIterator]();
    await batches.next();
    const sizes: number[] = [];
    for (let at = 0; at < 5; at += 1) {
      const before = socket.bytesRead;
      // Whatever the server would push by itself has time to arrive.
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(socket.bytesRead).toBe(before);
      const batch = (await batches.next()).value as readonly unknown[];
      expect(batch).toHaveLength(batchRows);
      sizes.push((socket.bytesRead - before) / batchRows);
    }
    // Bytes on the wire for each row of each batch: one batch came for each that was taken.
    for (const size of sizes) expect(size).toBeLessThan(300);
    await batches.return?.(undefined);
    // The connection is free again: the rest of the hundred thousand was never sent.
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});

test('a database that is gone is said as such, and a secret names its database', async () => {
  const gone = await connectionSettings({ CLAIMCHECK_ORDERS_URL: 'postgresql://a:b@127.0.0.1:1/x' }, async () => '');
  await expect(connect(gone)).rejects.toMatchObject({ code: 'ToolUnavailable', retryable: true });
  const secret = JSON.stringify({ host: 'db.example', username: 'u', password: 'p', dbname: 'shop' });
  expect(await connectionSettings({ CLAIMCHECK_ORDERS_SECRET: 'arn' }, async () => secret)).toMatchObject({
    host: 'db.example',
    port: 5432,
    user: 'u',
    database: 'shop',
    ssl: { rejectUnauthorized: true },
  });
  await expect(connectionSettings({ CLAIMCHECK_ORDERS_SECRET: 'arn' }, async () => '{"password":"p"}')).rejects.toThrow(
    /host: text of at least 1 character expected; it is required; username: text /,
  );
});

function tail(path: string): string {
  const { size } = statSync(path);
  const file = openSync(path, 'r');
  const buffer = Buffer.alloc(Math.min(size, 4_096));
  readSync(file, buffer, 0, buffer.length, size - buffer.length);
  closeSync(file);
  return buffer.toString('utf8');
}

function lineCount(path: string): number {
  let count = 0;
  for (const byte of readFileSync(path)) if (byte === 0x0a) count += 1;
  return count;
}
