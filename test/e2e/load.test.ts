import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeExecutionCommand, SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { itemsWithPrefix } from '../../aws/table-pages.ts';
import { newId } from '../../core/reference/reference.ts';
import { functionLogs } from '../../local/function-logs.ts';
import { credentials, region } from '../../local/ministack.ts';
import { type Figure, figuresOf, figuresTable } from '../../scripts/stats-figures.ts';
import { flightsProduced, notesProduced, statusProduced } from './expected.ts';
import { testPlatform } from './platform.ts';
import { workerMemory } from './workers.ts';

// Fifty runs at once, each of an owner of its own, with results from kilobytes to 14.8 MB.
jest.setTimeout(270_000);
const platform = testPlatform();
const { emulatorUrl, examples } = platform.handle;
const client = { endpoint: emulatorUrl, region, credentials };
const flows = new SFNClient(client);
const documents = DynamoDBDocumentClient.from(new DynamoDBClient(client));
afterAll(() => {
  flows.destroy();
  documents.destroy();
});

const kinds = [
  { agent: 'notes', message: 'Which notes are there?', tool: 'search_notes', made: notesProduced(examples), runs: 30 },
  {
    agent: 'assistant',
    message: 'How many flights are there?',
    tool: 'flights',
    made: flightsProduced(examples),
    runs: 14,
  },
  {
    agent: 'assistant',
    message: 'How many services does the status report hold?',
    tool: 'service_status',
    made: statusProduced(examples),
    runs: 6,
  },
] as const;

const owners: string[] = [];
/** What the logs said before: the platform is shared, and others' events may have been refused without a run. */
let before: readonly Figure[] = [];
let earlierLines = 0;
beforeAll(async () => {
  const lines = await functionLogs(emulatorUrl);
  before = figuresOf(lines);
  earlierLines = lines.length;
});

test('50 parallel runs end within four minutes, each with its own whole result', async () => {
  const wanted = kinds.flatMap((kind) => Array.from({ length: kind.runs }, () => kind));
  expect(wanted).toHaveLength(50);
  const runs = wanted.map((kind) => ({ runId: newId(), session: newId(), owner: `load-${newId()}`, kind }));
  owners.push(...runs.map(({ owner }) => owner));
  const began = performance.now();
  const waiting = [...runs];
  // Admission, which also starts the run, answers within its 15 s; a machine that makes fifty processes for it at once
  // does not: four callers, and all runs that are admitted go on beside them.
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { kind, ...ids } = next;
        const { agent, message } = kind;
        const event = { ...ids, username: 'olivia', agent, message, stateMachineArn: platform.flowArn(agent) };
        let admitted = await platform.invoke('admit-run', event);
        // Roles are looked up within a second or refused; a busy machine is told to try again, and does.
        for (let again = 0; again < 20 && admitted.answer['retryable'] === true; again += 1) {
          await sleep(1_000);
          admitted = await platform.invoke('admit-run', event);
        }
        expect(admitted).toMatchObject({ fault: false, answer: { runId: ids.runId } });
      }
    }),
  );
  const seconds: number[] = [];
  for (const { runId, kind } of runs) {
    for (;;) {
      const execution = await flows.send(
        new DescribeExecutionCommand({ executionArn: platform.executionArn(kind.agent, runId) }),
      );
      if (execution.status !== 'RUNNING') {
        expect({ runId, tool: kind.tool, status: execution.status }).toEqual({
          runId,
          tool: kind.tool,
          status: 'SUCCEEDED',
        });
        seconds.push((Number(execution.stopDate) - Number(execution.startDate)) / 1000);
        break;
      }
      await sleep(500);
    }
  }
  const all = (performance.now() - began) / 1000;
  for (const { runId, owner, kind } of runs) {
    const { Item: run } = await documents.send(
      new GetCommand({ TableName: platform.output('RunsTable'), Key: { pk: `run#${runId}`, sk: 'run' } }),
    );
    expect(run).toMatchObject({ status: 'succeeded', owner });
    const rows = await itemsWithPrefix({ documents, table: platform.output('CatalogTable') }, owner, '');
    const stored = rows.filter(({ status }) => status === 'stored');
    expect(stored.map(({ tool, sha256 }) => ({ tool, sha256 }))).toEqual([
      { tool: kind.tool, sha256: kind.made.sha256 },
    ]);
    const turns = await itemsWithPrefix(
      { documents, table: platform.output('ChatsTable') },
      `${owner}#${String(run?.['session'])}`,
      'turn#',
    );
    expect(turns.filter(({ sk }) => /^turn#\d+$/.test(String(sk)))).toHaveLength(1);
  }
  seconds.sort((a, b) => a - b);
  process.stdout.write(
    `\n50 runs in ${all.toFixed(0)} s; one run p50 ${seconds[25]?.toFixed(1)} s, p95 ${seconds[47]?.toFixed(1)} s\n`,
  );
  expect(all).toBeLessThan(240);
});

test('every function stays within the memory that it is given', () => {
  const given: Readonly<Record<string, number>> = {
    'call-model': 512,
    'run-tool': 1024,
    'save-turn': 512,
    'post-tool-hook': 512,
    'tool-service-status': 512,
    'tool-flights': 512,
    'tool-search-notes': 256,
  };
  const lines = Object.entries(given).map(([name, mebibytes]) => {
    const used = Math.round(workerMemory(`claimcheck-${name}`, platform.handle.folder) / 1024 ** 2);
    expect({ name, within: used <= mebibytes, used }).toEqual({ name, within: true, used });
    return `${name}: ${used} of ${mebibytes} MiB`;
  });
  process.stdout.write(`${lines.join('\n')}\n`);
});

test('the logs answer the dashboard’s questions, carry the ids, and hold no content and nobody’s name', async () => {
  const lines = await functionLogs(emulatorUrl);
  const figures = figuresOf(lines);
  process.stdout.write(`${figuresTable(figures)}\n`);
  const valueIn = (from: readonly Figure[], question: string, name: string) =>
    from.find((each) => each.question === question)?.answers.find((each) => each.of === name)?.value ?? 0;
  const added = (question: string, name: string) => valueIn(figures, question, name) - valueIn(before, question, name);
  const calls = (tool: string) => added('How do tool calls end?', `ToolCall: reason success, tool ${tool}`);
  expect(kinds.map(({ tool }) => [tool, calls(tool)])).toEqual(kinds.map(({ tool, runs }) => [tool, runs]));
  const sum = (bytes: number, kind: (typeof kinds)[number]) => bytes + kind.runs * kind.made.bytes;
  expect({
    results: added('How much is stored?', 'results stored'),
    bytes: added('How much is stored?', 'bytes stored'),
    turns: added('Do runs end well?', 'turns saved'),
    failed: added('Do runs end well?', 'runs closed as failed'),
  }).toEqual({ results: 50, bytes: kinds.reduce(sum, 0), turns: 50, failed: 0 });
  const text = lines.map(({ message }) => message).join('\n');
  for (const needle of ['olivia', 'arthur', ...owners, 'Which notes', 'How many flights', 'eu-north']) {
    expect({ needle, found: text.includes(needle) }).toEqual({ needle, found: false });
  }
  const decisions = lines
    .slice(earlierLines)
    .flatMap(({ message }) => (message.includes('"level":"INFO"') ? [message] : []));
  const flowLines = decisions.filter((line) =>
    /"function":"(?:call-model|run-tool|save-turn|post-tool-hook)"/.test(line),
  );
  expect(flowLines.length).toBeGreaterThan(150);
  for (const line of flowLines) expect(line).toMatch(/"runId":"[0-9a-f]{32}"/);
  for (const line of flowLines.filter((each) => !each.includes('"refused"') && !each.includes('"fault"'))) {
    expect(line).toMatch(/"session":"[0-9a-f]{32}"/);
  }
  for (const line of flowLines.filter((each) => each.includes('"message":"tool_call"')))
    expect(line).toContain('"toolUseId"');
});
