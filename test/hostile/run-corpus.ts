import { createHash, randomUUID } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseChart } from '../../core/analysis/chart-spec.ts';
import type { EngineAnswer, EngineInput, EngineJob } from '../../core/analysis/engine.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import { AnalysisHost } from '../fakes/analysis-host.ts';
import { hostileChartRows, hostileCharts } from './charts.ts';
import { hostileBodies } from './data-files.ts';
import { hostileScripts } from './scripts.ts';
import { hostileSql } from './sql.ts';

export interface CorpusRow {
  readonly kind: 'sql' | 'script' | 'chart' | 'data';
  readonly name: string;
  /** `refused` by a check, ended by a `limit`, or `answered` (harmlessly: see `leaks`). */
  readonly outcome: 'refused' | 'limit' | 'answered' | 'fault';
  readonly milliseconds: number;
  /** What of the host came through; empty for a sandbox that holds. */
  readonly leaks: readonly string[];
  /** The first words of the answer. */
  readonly said: string;
}

export interface CorpusReport {
  readonly rows: readonly CorpusRow[];
  /** Bodies that the engine uploaded with the right that every job has, and what of the host was in them. */
  readonly uploads: number;
  readonly uploadLeaks: readonly string[];
  /** Requests that reached the listening server. */
  readonly requests: readonly string[];
  /** Files that were not there before. */
  readonly newFiles: readonly string[];
  readonly storedCopyUnchanged: boolean;
  readonly secretUnchanged: boolean;
  /** Processes of the engine that were still alive at the end. */
  readonly alive: readonly string[];
  /** An honest query and an honest script after everything. */
  readonly healthy: boolean;
}

/** Time limits of one program in the corpus, in milliseconds; on AWS they are longer. */
export const corpusLimits = { sqlMs: 8_000, scriptMs: 1_000, graceMs: 4_000 };
const secret = 'SECRET-3d1c7f0a';
const atOnce = 2;

/** A place that keeps the stored copy which every program computes over. */
export interface CopyStore {
  put(bytes: Uint8Array): Promise<void>;
  /** An address that opens it, good for one job. */
  url(): Promise<string>;
  read(): Promise<Uint8Array>;
  stop(): Promise<void>;
}

/**
 * Runs everything, two at a time, against the engine's own programs. `store`: a real one; a folder behind an HTTP server
 * where none is given.
 */
export async function runCorpus(store?: CopyStore): Promise<CorpusReport> {
  const engine = await new AnalysisHost(1024).start();
  const copies = store ?? (await folderStore());
  const requests: string[] = [];
  const listener = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end(secret);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', () => resolve()));
  const dir = path.join(engine.folder, 'outside');
  const file = path.join(dir, 'secret.txt');
  mkdirSync(dir);
  writeFileSync(file, secret);
  process.env['CLAIMCHECK_TEST_SECRET'] = secret;
  try {
    // Enough to be loaded while it is fetched.
    const rows = Array.from({ length: 4_000 }, (_, n) => ({ id: n, region: ['eu', 'us', 'ap'][n % 3] }));
    const data = engine.input('data', JSON.stringify(rows));
    await copies.put(engine.bodies.get('data') ?? new Uint8Array());
    // Only the store has it from here on: what is fetched, and compared in the end, is its copy.
    engine.bodies.delete('data');
    const stored = digest(await copies.read());
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const fill = (text: string) => text.replaceAll('{file}', file).replaceAll('{url}', url).replaceAll('{dir}', dir);
    const before = filesIn(engine.folder);
    const report = await inParallel(cases(engine, data, fill), async ({ kind, name, job }, lane) => {
      const started = Date.now();
      const address = await copies.url();
      const { outcome, said } = await outcomeOf(engine, () => addressed(job(), data, address), lane);
      return {
        kind,
        name,
        outcome,
        milliseconds: Date.now() - started,
        leaks: leaksIn(said, engine),
        said: said.slice(0, 160),
      };
    });
    const last = { ...data, url: await copies.url() };
    const honest = await engine.sql('SELECT count(*) FROM data', [last]);
    const scripted = await engine.script('let n = 0; for (const r of rows()) n++; return n', [last]);
    return {
      rows: report,
      uploads: engine.puts.length,
      uploadLeaks: engine.puts.flatMap(({ body }) => leaksIn(body.toString('latin1'), engine)),
      requests,
      newFiles: filesIn(engine.folder).filter((name) => !before.includes(name)),
      storedCopyUnchanged: digest(await copies.read()) === stored && data.sha256 === stored,
      secretUnchanged: readFileSync(file, 'utf8') === secret,
      alive: aliveIn(engine.folder),
      healthy:
        honest.outcome === 'table' &&
        honest.rows[0]?.[0] === '4000' &&
        scripted.outcome === 'value' &&
        scripted.text === '4000',
    };
  } finally {
    delete process.env['CLAIMCHECK_TEST_SECRET'];
    listener.closeAllConnections();
    await new Promise((resolve) => listener.close(resolve));
    await copies.stop();
    await engine.stop();
  }
}

/** Addresses are good for a minute, so each job has its own. */
function addressed(job: EngineJob, data: EngineInput, url: string): EngineJob {
  return { ...job, inputs: job.inputs.map((input) => (input.url === data.url ? { ...input, url } : input)) };
}

/** The copy as a file, which programs on this machine could reach if anything let them. */
async function folderStore(): Promise<CopyStore> {
  const folder = mkdtempSync(path.join(tmpdir(), 'claimcheck-copy-'));
  const file = path.join(folder, 'body');
  const server = createServer((_request, response) => {
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    put: async (bytes) => writeFileSync(file, bytes),
    url: async () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/body`,
    read: async () => readFileSync(file),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Case {
  readonly kind: CorpusRow['kind'];
  readonly name: string;
  readonly job: () => EngineJob;
}

function cases(engine: AnalysisHost, data: EngineInput, fill: (text: string) => string): readonly Case[] {
  const job = (kind: 'sql' | 'script', text: string, chart: unknown = null, inputs = [data]): EngineJob => ({
    inputs,
    program: { kind, text },
    // As the broker does: what the schema refuses never becomes a job.
    chart: chart === null ? null : parseChart(JSON.parse(fill(JSON.stringify(chart)))),
    limits: {
      deadlineMs: kind === 'sql' ? corpusLimits.sqlMs : corpusLimits.scriptMs,
      maxOutputBytes: chart === null ? 5_000 : 200_000,
    },
    // As if all of it were to be kept: one more way out, which must lead nowhere else.
    uploads: { answer: engine.upload(`kept-${randomUUID()}`, 1024 * 1024), picture: null, drawing: null },
  });
  const grouped = 'SELECT region, count(*) AS n FROM data GROUP BY region';
  const named = (text: string) => text.replace(/\s+/g, ' ').slice(0, 70);
  return [
    ...hostileSql.map((sql): Case => ({ kind: 'sql', name: named(sql), job: () => job('sql', fill(sql)) })),
    ...hostileScripts.map(
      (text): Case => ({ kind: 'script', name: named(text), job: () => job('script', fill(text)) }),
    ),
    ...hostileCharts.map(([name, chart]): Case => ({ kind: 'chart', name, job: () => job('sql', grouped, chart) })),
    ...hostileChartRows.map(
      ([name, sql, chart]): Case => ({ kind: 'chart', name, job: () => job('sql', fill(sql), chart) }),
    ),
    ...hostileBodies.flatMap(([name, body], at): Case[] => {
      const input = { ...engine.input(`body${at}`, body), name: 'data' };
      return [
        { kind: 'data', name: `${name} (sql)`, job: () => job('sql', 'SUMMARIZE data', null, [input]) },
        {
          kind: 'data',
          name: `${name} (script)`,
          job: () =>
            job('script', 'let n = 0; for (const r of rows()) n += Object.keys(r).length; return n', null, [input]),
        },
      ];
    }),
  ];
}

async function outcomeOf(
  engine: AnalysisHost,
  make: () => EngineJob,
  lane: number,
): Promise<{ outcome: CorpusRow['outcome']; said: string }> {
  let answer: EngineAnswer;
  try {
    answer = await engine.run(make(), lane);
  } catch (error) {
    const expected = error instanceof ClaimcheckError;
    return { outcome: expected ? 'refused' : 'fault', said: String(expected ? error.message : (error as Error).stack) };
  }
  const said = JSON.stringify(
    answer.outcome === 'error' || answer.chart === null ? answer : { ...answer, chart: answer.chart.svg },
  );
  if (answer.outcome !== 'error') return { outcome: 'answered', said };
  // A stored copy that could not be read would make a harness look like a sandbox.
  if (answer.code === 'StorageUnavailable') return { outcome: 'fault', said };
  return { outcome: answer.code === 'AnalysisLimit' ? 'limit' : 'refused', said };
}

/** Secrets, and places of the host that nobody inside was told. */
function leaksIn(said: string, engine: AnalysisHost): readonly string[] {
  const scratch = engine.host.scratch;
  return [secret, scratch, process.execPath, 'node:internal', 'file:///etc', 'root:x:'].filter((text) =>
    said.includes(text),
  );
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink() && !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Processes whose command line names the engine's programs. */
function aliveIn(folder: string): readonly string[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return command.includes(folder) ? [command.slice(0, 200)] : [];
      } catch {
        return [];
      }
    });
}

function digest(bytes: Uint8Array | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}

async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T, lane: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (number: number): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T, number);
  };
  await Promise.all(Array.from({ length: atOnce }, (_, number) => lane(number)));
  return results;
}
