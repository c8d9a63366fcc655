import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { DynamoActiveRuns } from '../../aws/dynamo-active-runs.ts';
import { DynamoAttempts } from '../../aws/dynamo-attempts.ts';
import { DynamoErasures } from '../../aws/dynamo-erasures.ts';
import { DynamoGrants } from '../../aws/dynamo-grants.ts';
import { DynamoMessages } from '../../aws/dynamo-messages.ts';
import { DynamoOutcomes } from '../../aws/dynamo-outcomes.ts';
import { DynamoRunRecords } from '../../aws/dynamo-runs.ts';
import type { RunTable } from '../../aws/run-keys.ts';
import { itemsWithPrefix } from '../../aws/table-pages.ts';
import type { MessageBlock } from '../../core/content/block.ts';
import { newId } from '../../core/reference/reference.ts';
import { run, use } from '../fakes/run-world.ts';
import { TableServer } from '../fakes/table-server.ts';

const server = new TableServer();
let documents: DynamoDBDocumentClient;
let table: RunTable;
let runId: string;
let now = new Date('2026-11-30T12:00:00.900Z');

beforeAll(async () => {
  documents = await server.start();
  await server.table('runs');
  await server.table('sessions');
  table = { documents, table: 'runs', clock: { now: () => now }, keepSeconds: 1_000 };
});
afterAll(() => server.stop());
beforeEach(() => {
  runId = newId();
  now = new Date('2026-11-30T12:00:00.900Z');
});

// Every page of the partition: a scan would stop at 1 MB of what other tests wrote.
const items = () => itemsWithPrefix(table, `run#${runId}`, '');

describe('run records', () => {
  it('admitted once, ended once, whoever comes second', async () => {
    const runs = new DynamoRunRecords(table);
    const mine = { ...run, runId };
    expect(await runs.admit(mine)).toEqual({ created: true, run: mine });
    expect(await runs.admit({ ...mine, message: 'another' })).toEqual({ created: false, run: mine });
    const ended = await runs.close(runId, { status: 'failed', failure: 'It failed.', endedAt: 'now' });
    expect(ended).toEqual({ ...mine, status: 'failed', failure: 'It failed.', endedAt: 'now' });
    expect(await runs.close(runId, { status: 'succeeded', endedAt: 'later' })).toEqual(ended);
    expect(await runs.get(runId)).toEqual(ended);
    expect(await runs.get(newId())).toBeUndefined();
    await expect(runs.close(newId(), { status: 'failed', endedAt: 'x' })).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('kept for whole seconds (case H066)', async () => {
    await new DynamoRunRecords(table).admit({ ...run, runId });
    expect((await items())[0]).toMatchObject({ ttl: Math.floor(Date.parse('2026-11-30T12:00:00Z') / 1000) + 1_000 });
  });
});

describe('messages', () => {
  const thread = async () => new DynamoMessages(table).thread(runId, 'assistant');
  const append = (turn: number, role: 'user' | 'assistant', ...content: readonly MessageBlock[]) =>
    new DynamoMessages(table).append(runId, { agent: 'assistant', turn, role, content });

  it('come back in order: the opening, then each answer before its results', async () => {
    for (const turn of [2, 10, 1]) {
      await append(turn, 'user', { toolResult: { toolUseId: `use-${turn}`, content: [{ text: 'four' }] } });
      await append(turn, 'assistant', { text: `turn ${turn}` }, use('rows'));
    }
    await append(0, 'user', { text: 'Which?' });
    await new DynamoMessages(table).append(runId, {
      agent: 'writer',
      turn: 3,
      role: 'user',
      content: [{ text: 'Write.' }],
    });
    expect((await thread()).map(({ turn, role }) => `${turn}${role[0]}`)).toEqual([
      '0u',
      '1a',
      '1u',
      '2a',
      '2u',
      '10a',
      '10u',
    ]);
    const messages = new DynamoMessages(table);
    expect((await messages.find(runId, 1, 'assistant'))?.content).toEqual([{ text: 'turn 1' }, use('rows')]);
    expect(await messages.find(runId, 1, 'user')).toMatchObject({ role: 'user', agent: 'assistant' });
    expect(await messages.find(runId, 4, 'user')).toBeUndefined();
  });

  it.each([
    ['140,000 characters of three bytes (case H062)', { text: `${'検'.repeat(140_000)}END` }],
    ['399,000 ASCII bytes', { text: `${'a'.repeat(398_997)}END` }],
    ['an image of 700 KB', { image: { format: 'png', source: { bytes: new Uint8Array(700_000).fill(7) } } }],
    ['nesting of 60 levels', { json: JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`) }],
    ['keys of the prototype and an empty key', { json: JSON.parse('{"n":1e300,"__proto__":{"x":1},"":""}') }],
    ['half a character', { text: 'a\ud800b' }],
  ] as [string, MessageBlock][])('a block of %s comes back equal', async (_name, block) => {
    await append(0, 'user', { text: 'before' }, block, { text: 'after' });
    expect((await thread())[0]?.content).toEqual([{ text: 'before' }, block, { text: 'after' }]);
  });

  it('a thread of several pages of 1 MB is whole', async () => {
    for (let turn = 1; turn <= 5; turn += 1) {
      await append(turn, 'user', ...[1, 2, 3].map((n) => ({ text: `${turn}.${n} ${'x'.repeat(250_000)}` })));
    }
    const messages = await thread();
    expect(messages).toHaveLength(5);
    expect(JSON.stringify(messages.at(-1)?.content.at(-1))).toContain('5.3 xxx');
  });

  it('a repeat writes nothing; half a message is told apart from a whole one and healed by the repeat', async () => {
    await append(0, 'user', { text: 'one' }, { text: 'two' });
    const before = await items();
    await append(0, 'user', { text: 'one' }, { text: 'two' });
    expect(await items()).toEqual(before);
    const other = newId();
    await documents.send(new PutCommand({ TableName: 'runs', Item: { ...before[0], pk: `run#${other}` } }));
    await expect(new DynamoMessages(table).thread(other, 'assistant')).rejects.toMatchObject({
      code: 'StorageUnavailable',
    });
    await new DynamoMessages(table).append(other, {
      agent: 'assistant',
      turn: 0,
      role: 'user',
      content: [{ text: 'one' }, { text: 'two' }],
    });
    expect((await new DynamoMessages(table).thread(other, 'assistant'))[0]?.content).toHaveLength(2);
  });
});

describe('outcomes', () => {
  it('the first stands, whoever comes second', async () => {
    const outcomes = new DynamoOutcomes(table);
    const all = await Promise.all([1, 2, 3, 4].map((n) => outcomes.record(runId, 'tool/1/0', { n })));
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    const standing = await outcomes.find(runId, 'tool/1/0');
    for (const { outcome } of all) expect(outcome).toEqual(standing);
  });

  it('are listed in the order of their numbers, over pages of 1 MB', async () => {
    const outcomes = new DynamoOutcomes(table);
    for (const key of ['tool/10/0', 'tool/2/11', 'tool/2/1', 'tool/1/0', 'call/1']) {
      await outcomes.record(runId, key, { key, pad: 'x'.repeat(290_000) });
    }
    const listed = await outcomes.list<{ key: string }>(runId, 'tool/');
    expect(listed.map(({ key }) => key)).toEqual(['tool/1/0', 'tool/2/1', 'tool/2/11', 'tool/10/0']);
    expect(listed.map(({ outcome }) => outcome.key)).toEqual(listed.map(({ key }) => key));
    expect((await outcomes.list(runId, 'tool/2/')).map(({ key }) => key)).toEqual(['tool/2/1', 'tool/2/11']);
  });

  it('keys that are no numbers keep their shape', async () => {
    const outcomes = new DynamoOutcomes(table);
    const key = `oversize/${'0'.repeat(64)}/3/1`;
    await outcomes.record(runId, key, { ref: null });
    expect((await outcomes.list(runId, `oversize/${'0'.repeat(64)}/`)).map((one) => one.key)).toEqual([key]);
  });

  it('keep bytes, and refuse more than 300 KB, in bytes', async () => {
    const outcomes = new DynamoOutcomes(table);
    const content = [{ image: { format: 'png', source: { bytes: new Uint8Array([0, 255]) } } }];
    await outcomes.record(runId, 'tool/1/0', { content });
    expect(await outcomes.find(runId, 'tool/1/0')).toEqual({ content });
    await expect(outcomes.record(runId, 'tool/1/1', { text: '検'.repeat(110_000) })).rejects.toMatchObject({
      code: 'OversizeResult',
    });
    await outcomes.record(runId, 'tool/1/1', { text: '検'.repeat(100_000) });
  });
});

it('attempts: every claim has its own number and id, also at the same time', async () => {
  const attempts = new DynamoAttempts(table);
  const claims = await Promise.all(Array.from({ length: 8 }, () => attempts.claim(runId, 1, 0)));
  expect(claims.map(({ attempt }) => attempt).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(new Set(claims.map(({ resultId }) => resultId)).size).toBe(8);
  for (const { attempt, earlierIds } of claims) expect(earlierIds).toHaveLength(attempt - 1);
  expect((await attempts.claim(runId, 1, 1)).attempt).toBe(1);
});

it('grants: given once, found by the exact reference of the exact run', async () => {
  const grants = new DynamoGrants(table);
  const ref = `${newId()}/${newId()}`;
  await grants.give(runId, { ref, via: 'produced', grantedAt: 'first' });
  await grants.give(runId, { ref, via: 'session', grantedAt: 'second' });
  expect(await grants.find(runId, ref)).toEqual({ ref, via: 'produced', grantedAt: 'first' });
  expect(await grants.find(newId(), ref)).toBeUndefined();
  expect(await grants.find(runId, ref.slice(0, -1))).toBeUndefined();
  expect(await grants.all(runId)).toHaveLength(1);
});

it('active runs: counted per owner, left once, forgotten after the age of a run', async () => {
  const active = new DynamoActiveRuns(table, 60);
  expect(await active.enter('ada', '1'.repeat(32))).toHaveLength(1);
  expect(await active.enter('ada', '1'.repeat(32))).toHaveLength(1);
  expect(await active.enter('ada', '2'.repeat(32))).toHaveLength(2);
  expect(await active.enter('ad', '3'.repeat(32))).toHaveLength(1);
  await active.leave('ada', '1'.repeat(32));
  expect(await active.enter('ada', '4'.repeat(32))).toHaveLength(2);
  now = new Date(now.getTime() + 61_000);
  expect(await active.enter('ada', '5'.repeat(32))).toHaveLength(1);
});

it('erasures: only a tombstone of that very owner', async () => {
  const erasures = new DynamoErasures({ documents, table: 'sessions' });
  await documents.send(new PutCommand({ TableName: 'sessions', Item: { pk: 'erased#ada', sk: 'tombstone' } }));
  expect(await erasures.isErased('ada')).toBe(true);
  expect(await erasures.isErased('ad')).toBe(false);
});
