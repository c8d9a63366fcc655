import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { GetExecutionHistoryCommand, type HistoryEvent, SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { newId } from '../../core/reference/reference.ts';
import { askLogs, functionLogs } from '../../local/function-logs.ts';
import { credentials, region } from '../../local/ministack.ts';
import { newPerson, type Person } from './erasure-person.ts';
import { testPlatform } from './platform.ts';

// What one person really does leaves their words in bucket and tables alone: logs, executions and the access log hold
// ids. So an erasure of bucket and tables is an erasure. Each search is shown to find what is there to be found.
jest.setTimeout(240_000);
const platform = testPlatform();
const { emulatorUrl, folder } = platform.handle;
const client = { endpoint: emulatorUrl, region, credentials };
const s3 = new S3Client({ ...client, forcePathStyle: true });
const documents = DynamoDBDocumentClient.from(new DynamoDBClient(client));
const flows = new SFNClient(client);
const Bucket = platform.output('BucketName');
const tables = ['RunsTable', 'CatalogTable', 'ChatsTable', 'SessionsTable'].map((name) => platform.output(name));
/** In every question, argument and computed row of the person, and in nothing else. */
const word = `planted${newId()}`;
let person: Person;
let runs: readonly { readonly agent: string; readonly runId: string; readonly session: string }[] = [];

beforeAll(async () => {
  person = await newPerson(platform, ['ops', 'analyst']);
  runs = await live(person);
});
afterAll(async () => {
  await person.leave();
  for (const each of [s3, documents, flows]) each.destroy();
});

/** Runs of a standard and of a foreign flow, a stored result that holds the word, clicks, and requests that fail. */
async function live({ client: asker }: Person) {
  const sql = `SELECT '${word}' AS word, * FROM data LIMIT 2000`;
  const questions = [
    {
      agent: 'assistant',
      message: [
        `What about ${word}?`,
        'call flights with {}',
        'then',
        `call analyze_result with ${JSON.stringify({ inputs: { data: '$ref' }, sql, keep: true })}`,
      ].join('\n'),
    },
    { agent: 'notes', message: `Which notes are there about ${word}?` },
    { agent: 'assistant', message: `call ${word} with {"${word}": "${word}"}` },
  ];
  const made: { agent: string; runId: string; session: string }[] = [];
  for (const { agent, message } of questions) {
    const run = await asker.ask(agent, message);
    made.push({ agent, runId: run.runId, session: run.session });
    expect(run).toMatchObject({ status: 'succeeded' });
    for (const { download_url } of run.links) await asker.download(download_url ?? '');
  }
  const json = { 'content-type': 'application/json' };
  for (const [path, init] of [
    ['/chats', {}],
    [`/chats/${made[0]?.session}`, {}],
    [`/catalog?cursor=${word}`, {}],
    [`/results/${word}/${word}`, {}],
    [`/${word}`, { headers: { 'x-word': word, referer: `https://${word}.example/` } }],
    ['/runs', { method: 'POST', headers: json, body: `{"agent": "${word}` }],
    ['/runs', { method: 'POST', headers: json, body: JSON.stringify({ agent: word, [word]: word }) }],
    [
      '/runs',
      {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ agent: word, message: word, idempotencyKey: randomUUID() }),
      },
    ],
  ] satisfies [string, RequestInit][]) {
    const { status } = await asker.request(path, init);
    expect({ path, status: status < 500 }).toEqual({ path, status: true });
  }
  return made;
}

/** Everything in bucket and tables, keys and contents, in which one of these stands. */
async function found(needles: readonly string[]): Promise<readonly string[]> {
  const places: string[] = [];
  const holds = (text: string) => needles.some((needle) => text.includes(needle));
  for (const TableName of tables) {
    for await (const { Items = [] } of paginateScan({ client: documents }, { TableName, ConsistentRead: true })) {
      for (const item of Items)
        if (holds(JSON.stringify(item))) places.push(`${TableName} ${item['pk']} ${item['sk']}`);
    }
  }
  let ContinuationToken: string | undefined;
  do {
    const page = await s3.send(new ListObjectsV2Command({ Bucket, ContinuationToken }));
    for (const { Key = '' } of page.Contents ?? []) {
      const theirs = Key.includes(person.owner);
      const body = theirs ? await (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString() : '';
      if (holds(Key) || holds(body ?? '')) places.push(`object ${Key}`);
    }
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
  return places;
}

async function history(agent: string, runId: string): Promise<readonly HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  let nextToken: string | undefined;
  do {
    const executionArn = platform.executionArn(agent, runId);
    const page = await flows.send(
      new GetExecutionHistoryCommand({ executionArn, includeExecutionData: true, nextToken }),
    );
    events.push(...(page.events ?? []));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return events;
}

const personal = () => [word, person.owner, person.username, person.email, person.token];

/** What of a person stands in a text. */
const named = (text: string) => personal().filter((needle) => text.includes(needle));

async function allLogs(): Promise<string> {
  return (await functionLogs(emulatorUrl)).map(({ group, message }) => `${group} ${message}`).join('\n');
}

test('before the erasure the word and the owner stand where they have to: in tables, keys and a body', async () => {
  const words = await found([word]);
  for (const place of [...tables.filter((_, at) => at === 0 || at === 2), `object results/${person.owner}/`]) {
    expect({ place, there: words.some((each) => each.startsWith(place)) }).toEqual({ place, there: true });
  }
  const owners = await found([person.owner]);
  for (const place of [...tables.slice(0, 3), 'object results/']) {
    expect({ place, there: owners.some((each) => each.startsWith(place)) }).toEqual({ place, there: true });
  }
});

test('no log of any group holds a word, an owner, a name or a token; every one is searched', async () => {
  const logs = await allLogs();
  expect(named(logs)).toEqual([]);
  for (const { runId, session } of runs) {
    for (const id of [runId, session]) expect({ id, logged: logs.includes(id) }).toEqual({ id, logged: true });
  }
  // The same search finds what does stand in a log, of whichever group.
  const stream = { logGroupName: `/claimcheck-test/${newId()}`, logStreamName: 'planted' };
  const { logGroupName } = stream;
  await askLogs(emulatorUrl, 'CreateLogGroup', { logGroupName });
  try {
    await askLogs(emulatorUrl, 'CreateLogStream', stream);
    const logEvents = [{ timestamp: Date.now(), message: `${word} ${person.owner}` }];
    await askLogs(emulatorUrl, 'PutLogEvents', { ...stream, logEvents });
    expect(named(await allLogs())).toEqual([word, person.owner]);
  } finally {
    await askLogs(emulatorUrl, 'DeleteLogGroup', { logGroupName });
  }
});

test('the history of every execution holds ids and no word, owner or name', async () => {
  for (const { agent, runId } of runs) {
    const events = await history(agent, runId);
    const text = JSON.stringify(events);
    expect({ agent, events: events.length > 5, run: text.includes(runId), named: named(text) }).toEqual({
      agent,
      events: true,
      run: true,
      named: [],
    });
    if (agent !== 'assistant') continue;
    // Of our own flows, whatever goes in and comes out is made of these members and no others.
    const members = new Set(events.flatMap((event) => payloads(event)).flatMap((payload) => memberNames(payload)));
    const known = ['runId', 'turn', 'index', 'name', 'agent', 'flow', 'execution', 'stateMachine', 'step', 'tool'];
    known.push('outcome', 'stopReason', 'next', 'toolUses', 'status', 'ref');
    expect([...members].filter((member) => !known.includes(member))).toEqual([]);
    expect(members).toContain('runId');
  }
});

test('the access log is told routes, statuses and sizes, and nothing that a person sends', async () => {
  const response = await fetch(`${emulatorUrl}/v2/apis/${platform.output('ApiId')}/stages`, {
    headers: { authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/apigateway/aws4_request` },
  });
  const { items } = (await response.json()) as { items: { accessLogSettings?: { format?: string } }[] };
  const told = items.flatMap(({ accessLogSettings }) => accessLogSettings?.format?.match(/\$context\.[\w.]+/g) ?? []);
  const harmless = ['requestId', 'requestTimeEpoch', 'routeKey', 'status', 'responseLength', 'responseLatency'];
  expect(told).toContain('$context.routeKey');
  // The last one is a function's own words, which hold no message (`lambdas/fault.ts`).
  expect(told.filter((name) => ![...harmless, 'integrationErrorMessage'].includes(name.slice(9)))).toEqual([]);
});

test('after the erasure nothing of the person is left but the tombstone', async () => {
  const outputs = join(folder, 'erasure-traces-outputs.json');
  writeFileSync(outputs, JSON.stringify(platform.handle.outputs));
  const args = ['--import', 'tsx', 'scripts/erase.ts', '--outputs', outputs, '--owner', person.owner];
  const erased = spawnSync(process.execPath, args, {
    cwd: resolve(import.meta.dirname, '../..'),
    encoding: 'utf8',
    env: {
      ...process.env,
      AWS_ENDPOINT_URL: emulatorUrl,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
  });
  expect({ status: erased.status, error: erased.stderr.includes('erase:') }).toEqual({ status: 0, error: false });
  expect(JSON.parse(erased.stdout)).toMatchObject({ owner: person.owner, erased: true });
  const left = await found([...personal(), ...runs.flatMap(({ runId, session }) => [runId, session])]);
  expect(left).toEqual([`${tables[3]} erased#${person.owner} tombstone`]);
  expect(named(await allLogs())).toEqual([]);
  const { status } = await person.client.request('/runs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'notes', message: 'Again?', idempotencyKey: randomUUID() }),
  });
  expect(status).toBe(403);
  expect(named(await allLogs())).toEqual([]);
});

/** Inputs, outputs and parameters of one event, parsed. */
function payloads(event: HistoryEvent): readonly unknown[] {
  const details = Object.values(event).filter((value): value is object => typeof value === 'object' && value !== null);
  return details.flatMap((detail) =>
    ['input', 'output', 'parameters'].flatMap((name) => {
      const text: unknown = (detail as Record<string, unknown>)[name];
      return typeof text === 'string' ? [JSON.parse(text) as unknown] : [];
    }),
  );
}

function memberNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(memberNames);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...memberNames(member)]);
}
