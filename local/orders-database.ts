import type { LocalFolder } from './folder.ts';
import { seedOrders } from './orders-seed.ts';
import { connected, hasPostgres, knownDatabase, type LocalPostgres, planDatabase, startPostgres } from './postgres.ts';

/** Rows of the local table of orders: enough that nothing which holds them all goes unnoticed. */
export const localOrders = 1_000_000;

export interface OrdersDatabase {
  stop(): Promise<void>;
}

/** The setting that tells the tool list_orders its database; none where no server can be had: then it is not deployed. */
export async function ordersSetting(folder: LocalFolder): Promise<Readonly<Record<string, string>>> {
  return hasPostgres() ? { 'orders.localUrl': (await planDatabase(folder.root)).url } : {};
}

/** Starts the database that `ordersSetting` has named, and fills it. Undefined, and said, where that cannot be done. */
export async function startOrders(
  folder: LocalFolder,
  options: { readonly seed: number; readonly say: (line: string) => void },
): Promise<OrdersDatabase | undefined> {
  const plan = hasPostgres() ? knownDatabase(folder.root) : undefined;
  if (plan === undefined) {
    options.say('there is no PostgreSQL server for this machine: the tool list_orders is left out');
    return undefined;
  }
  options.say(`starting PostgreSQL on 127.0.0.1:${plan.port} with ${localOrders} orders`);
  let server: LocalPostgres | undefined;
  try {
    server = await startPostgres(plan);
    await connected(server.ownerUrl, (client) => seedOrders(client, localOrders, options.seed));
    return { stop: server.stop };
  } catch (error) {
    // One example tool without its database is no reason to go without everything else: the tool says so when asked.
    await server?.stop();
    options.say(`PostgreSQL is not there, list_orders will fail: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}
