import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { DescribeExecutionCommand, SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoChats } from '../../aws/dynamo-chats.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import type { RunResponse } from '../../core/http/responses.ts';
import type { Run } from '../../core/run/run.ts';
import { defaultSettings } from '../../core/settings.ts';
import { runPorts, runTable } from '../../lambdas/run-ports.ts';
import type { FaultKind, PassingRequest } from '../../local/fault-proxy.ts';
import { credentials, region } from '../../local/ministack.ts';
import type { ServiceClient } from '../../local/service-client.ts';
import { runVerdict, type Verdict } from '../fakes/run-verdict.ts';
import { flightsProduced, notesProduced, statusProduced } from './expected.ts';
import { FaultyFunctions } from './faulty-functions.ts';
import type { KillPoint } from './kill-points.ts';
import type { TestPlatform } from './platform.ts';

/** What is asked of a flow. */
export interface Question {
  readonly agent: string;
  readonly message: string;
  /** Whose messages the run holds. */
  readonly agents: readonly string[];
  /** What stands in the answer of a run that goes well. */
  readonly answer: RegExp;
}

/** The physical name of a function. */
export const named = (name: string): string => `claimcheck-${name}`;

/** Waits, at most fifteen seconds, for what happens beside a run; what did not is for an assertion to say. */
export async function until(happened: () => boolean): Promise<void> {
  for (let waited = 0; waited < 60 && !happened(); waited += 1) await sleep(250);
}

/** Runs whose functions are ended in the middle, and everything that such a run has left. */
export class KilledRuns {
  readonly faulty: FaultyFunctions;
  /** Tool → SHA-256 of what it makes. */
  readonly produced: Readonly<Record<string, string>>;
  /** Processes ended since the last plan. */
  deaths = 0;
  readonly #platform: TestPlatform;
  readonly #flows: SFNClient;
  readonly #s3: S3Client;
  readonly #documents: DynamoDBDocumentClient;
  readonly #table: string[][] = [
    ['function', 'how', 'at its request', 'killed', 'run', 'whole', 'lost', 'dangling', 'doubled'],
  ];

  constructor(platform: TestPlatform, functions: readonly string[]) {
    const { emulatorUrl, examples } = platform.handle;
    const client = { endpoint: emulatorUrl, region, credentials };
    this.#platform = platform;
    this.faulty = new FaultyFunctions(emulatorUrl, functions.map(named));
    this.#flows = new SFNClient(client);
    this.#s3 = new S3Client({ ...client, forcePathStyle: true });
    this.#documents = DynamoDBDocumentClient.from(new DynamoDBClient(client));
    this.produced = {
      flights: flightsProduced(examples).sha256,
      search_notes: notesProduced(examples).sha256,
      service_status: statusProduced(examples).sha256,
    };
  }

  start(): Promise<void> {
    return this.faulty.start();
  }

  /** Puts everything back and prints what came of each run. */
  async stop(): Promise<void> {
    await this.faulty.stop();
    for (const client of [this.#flows, this.#s3, this.#documents]) client.destroy();
    const widths = this.#table[0]?.map((_, at) => Math.max(...this.#table.map((row) => row[at]?.length ?? 0))) ?? [];
    const lines = this.#table.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
    process.stdout.write(`\n${lines.join('\n')}\n`);
  }

  /** Sets what happens to the requests of the next run. */
  plan(decide: (request: PassingRequest) => FaultKind | undefined): void {
    const { proxy } = this.faulty;
    proxy.restart();
    this.deaths = 0;
    proxy.onDeath = ({ pid }) => {
      if (pid === undefined) throw new Error('a process is ended by its id: the request that dies has to name it');
      process.kill(pid, 'SIGKILL');
      this.deaths += 1;
    };
    proxy.plan = decide;
  }

  /** No faults from here on. */
  calm(): void {
    this.faulty.proxy.plan = () => undefined;
  }

  /** Ends the process that makes this request, once. */
  kill(name: string, point: KillPoint): void {
    let seen = 0;
    this.plan(({ asker, place }) => {
      if (asker !== named(name) || place !== point.place) return undefined;
      seen += 1;
      return seen === point.occurrence ? point.kind : undefined;
    });
  }

  /** The requests of each function while `work` goes on without faults. */
  async requests(work: () => Promise<void>): Promise<ReadonlyMap<string, readonly string[]>> {
    const seen = new Map<string, string[]>();
    this.plan(({ asker, place }) => {
      if (asker !== undefined) seen.set(asker, [...(seen.get(asker) ?? []), place]);
      return undefined;
    });
    await work();
    // It is told of the end of an execution, after it.
    if (this.faulty.names.includes(named('close-run'))) await until(() => seen.has(named('close-run')));
    this.calm();
    return seen;
  }

  /** Asks as a person does and waits until nothing of the run goes on. */
  async ask({ agent, message }: Question): Promise<{ readonly run: RunResponse; readonly olivia: ServiceClient }> {
    const olivia = await this.#platform.signedIn('olivia');
    const { runId } = await olivia.startRun({ agent, message });
    const run = await olivia.finished(runId);
    await this.executionEnded(agent, runId);
    return { run, olivia };
  }

  async executionEnded(agent: string, runId: string): Promise<void> {
    const command = new DescribeExecutionCommand({ executionArn: this.#platform.executionArn(agent, runId) });
    const deadline = Date.now() + 120_000;
    while ((await this.#flows.send(command)).status === 'RUNNING') {
      if (Date.now() > deadline) throw new Error(`the execution of ${runId} did not end`);
      await sleep(250);
    }
  }

  /** Looks at everything that a run has left: it has ended, and nothing is lost, points at nothing or is there twice. */
  async examined(runId: string, { agents }: Question, row: readonly string[]): Promise<Verdict> {
    const bucket = this.#platform.output('BucketName');
    const ports = {
      ...runPorts(runTable(this.#documents, this.#platform.output('RunsTable'), defaultSettings)),
      chats: dynamoChats(this.#documents, this.#platform.output('ChatsTable')),
      store: new S3ResultStore(this.#s3, bucket),
    };
    const { owner, session, status } = (await ports.runs.get(runId)) as Run;
    const catalogTable = this.#platform.output('CatalogTable');
    const places = { documents: this.#documents, s3: this.#s3, bucket, catalogTable, ports };
    const found = await runVerdict({ runId, owner, session }, places, { produced: this.produced, agents });
    const { lost, dangling, doubled } = found;
    const counts = [found.whole, lost.length, dangling.length, doubled.length].map(String);
    this.#table.push([...row, String(this.deaths), status, ...counts]);
    expect({ row, ...found }).toMatchObject({ row, ended: true, lost: [], dangling: [], doubled: [] });
    return found;
  }
}
