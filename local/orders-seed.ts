import type { Client } from 'pg';
import { reader } from './postgres.ts';

/**
 * Fills the table of orders with `count` rows, numbered from 1, in one statement inside the server; the same seed gives
 * the same rows. The last row differs from all others, so that only who reads to the end can tell of it.
 */
export async function seedOrders(client: Client, count: number, seed: number): Promise<void> {
  await client.query(`
    CREATE UNLOGGED TABLE IF NOT EXISTS orders (
      id bigint NOT NULL,
      order_number text NOT NULL,
      customer text NOT NULL,
      country text NOT NULL,
      status text NOT NULL,
      amount numeric(14, 2) NOT NULL,
      items integer NOT NULL,
      paid boolean NOT NULL,
      note text,
      ordered_at timestamptz(3) NOT NULL
    )`);
  await client.query('TRUNCATE orders');
  await client.query(
    `INSERT INTO orders
     SELECT i,
            'SO-' || lpad(i::text, 7, '0'),
            'customer ' || (i * 7919 + $2::bigint * 31) % 50000,
            (ARRAY['DE','FR','NL','PL','ES','IT','SE','CH'])[1 + (i * 31 + $2::bigint) % 8],
            (ARRAY['open','paid','shipped','returned','cancelled'])[1 + (i * 17 + $2::bigint * 7) % 5],
            ((i * 104729 + $2::bigint * 977) % 1000003)::numeric / 100,
            1 + (i * 13) % 9,
            (i * 17 + $2::bigint * 7) % 5 IN (1, 2),
            CASE WHEN i % 7 = 0 THEN NULL WHEN i % 1000 = 0 THEN '=SUM(A1:A9)' ELSE 'batch ' || i % 1000 || ', hall ' || i % 20 END,
            timestamptz '2026-01-01 00:00:00+00' + i * interval '20 seconds'
     FROM generate_series(1, $1::bigint) AS i
     ORDER BY i`,
    [count, seed],
  );
  await client.query(
    `UPDATE orders SET customer = 'Zebra Last Ltd', country = 'IS', amount = 12345678.90, note = '=1+1' WHERE id = $1`,
    [count],
  );
  await client.query('CREATE UNIQUE INDEX IF NOT EXISTS orders_id ON orders (id)');
  await client.query('CREATE INDEX IF NOT EXISTS orders_country ON orders (country, id)');
  await client.query('ANALYZE orders');
  await client.query(`GRANT SELECT ON orders TO ${reader}`);
}
