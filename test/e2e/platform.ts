import { readFileSync } from 'node:fs';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { RunResponse } from '../../core/http/responses.ts';
import type { ExampleData } from '../../local/deploy.ts';
import { executionStates, type StatePayload } from '../../local/execution-states.ts';
import { credentials, region } from '../../local/ministack.ts';
import { output } from '../../local/platform.ts';
import { ServiceClient } from '../../local/service-client.ts';
import { type LocalUser, LocalUsers } from '../../local/users.ts';

/** Variable that names the file in which the one start of a test run says where everything is. */
export const handleVariable = 'CLAIMCHECK_E2E_PLATFORM';

/** What the start leaves for the test files. */
export interface PlatformHandle {
  readonly folder: string;
  readonly emulatorUrl: string;
  readonly baseUrl: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly passwords: Readonly<Record<LocalUser, string>>;
  readonly examples: ExampleData;
}

/** The running platform as tests use it. One per test run; every test makes runs and sessions of its own. */
export class TestPlatform {
  readonly handle: PlatformHandle;
  readonly users: LocalUsers;
  readonly #lambda: LambdaClient;
  readonly #s3: S3Client;
  readonly #tables: DynamoDBClient;

  constructor(handle: PlatformHandle) {
    this.handle = handle;
    const client = { endpoint: handle.emulatorUrl, region, credentials };
    this.users = new LocalUsers(handle.emulatorUrl, this.output('UserPoolId'), this.output('UserPoolClientId'));
    this.#lambda = new LambdaClient({ ...client, maxAttempts: 1 });
    this.#s3 = new S3Client({ ...client, forcePathStyle: true });
    this.#tables = new DynamoDBClient(client);
  }

  output(name: string): string {
    return output(this.handle.outputs, name);
  }

  /** `olivia` holds ops and analyst, `arthur` analyst alone. The token is fresh. */
  async signedIn(user: LocalUser): Promise<ServiceClient> {
    return new ServiceClient(this.handle.baseUrl, await this.token(user));
  }

  token(user: LocalUser): Promise<string> {
    return this.users.token(user, this.handle.passwords[user]);
  }

  /** Asks as this user and expects the run to end well. */
  async ask(user: LocalUser, message: string, agent = 'assistant', session?: string): Promise<RunResponse> {
    const run = await (await this.signedIn(user)).ask(agent, message, session);
    if (run.status !== 'succeeded') throw new Error(`the run has ${run.status}: ${run.failure}`);
    return run;
  }

  flowArn(agent: string): string {
    const arn = (JSON.parse(this.output('FlowArns')) as Record<string, string>)[agent];
    if (arn === undefined) throw new Error(`there is no flow ${agent}`);
    return arn;
  }

  executionArn(agent: string, runId: string): string {
    return `${this.flowArn(agent).replace(':stateMachine:', ':execution:')}:${runId}`;
  }

  /** The flow context that a function is given by its flow. */
  flow(agent: string, runId: string): { readonly execution: string; readonly stateMachine: string } {
    return { execution: this.executionArn(agent, runId), stateMachine: this.flowArn(agent) };
  }

  states(agent: string, runId: string): Promise<readonly StatePayload[]> {
    return executionStates(this.handle.emulatorUrl, this.executionArn(agent, runId));
  }

  /** Invokes a function directly, by its short name; `fault` is set when it raised. */
  async invoke(
    name: string,
    event: unknown,
  ): Promise<{ readonly fault: boolean; readonly answer: Record<string, unknown> }> {
    const names = JSON.parse(this.output('FunctionNames')) as Record<string, string>;
    const reply = await this.#lambda.send(
      new InvokeCommand({ FunctionName: names[name] ?? name, Payload: Buffer.from(JSON.stringify(event)) }),
    );
    const answer = JSON.parse(Buffer.from(reply.Payload ?? []).toString('utf8')) as Record<string, unknown>;
    return { fault: reply.FunctionError !== undefined, answer };
  }

  /** Number of objects and of items per table: what a repeated event must not change. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = { objects: 0 };
    let ContinuationToken: string | undefined;
    do {
      const page = await this.#s3.send(
        new ListObjectsV2Command({
          Bucket: this.output('BucketName'),
          ...(ContinuationToken && { ContinuationToken }),
        }),
      );
      counts['objects'] = (counts['objects'] ?? 0) + (page.KeyCount ?? 0);
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
    for (const table of ['RunsTable', 'CatalogTable', 'ChatsTable'])
      counts[table] = await this.#items(this.output(table));
    return counts;
  }

  async #items(TableName: string): Promise<number> {
    let count = 0;
    let ExclusiveStartKey: Record<string, never> | undefined;
    do {
      const page = await this.#tables.send(
        new ScanCommand({
          TableName,
          Select: 'COUNT',
          ConsistentRead: true,
          ...(ExclusiveStartKey && { ExclusiveStartKey }),
        }),
      );
      count += page.Count ?? 0;
      ExclusiveStartKey = page.LastEvaluatedKey as Record<string, never> | undefined;
    } while (ExclusiveStartKey !== undefined);
    return count;
  }
}

/** The platform that this test run has started. */
export function testPlatform(): TestPlatform {
  const file = process.env[handleVariable];
  if (file === undefined) throw new Error('the platform was not started: run the tests by `npm run test:e2e`');
  return new TestPlatform(JSON.parse(readFileSync(file, 'utf8')) as PlatformHandle);
}
