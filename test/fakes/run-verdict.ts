import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { dynamoChats } from '../../aws/dynamo-chats.ts';
import type { S3ResultStore } from '../../aws/s3-result-store.ts';
import { itemsWithPrefix } from '../../aws/table-pages.ts';
import type { OwnerKey } from '../../core/reference/owner-key.ts';
import type { ToolOutcome } from '../../core/run/outcomes.ts';
import { defaultSettings } from '../../core/settings.ts';
import type { runPorts } from '../../lambdas/run-ports.ts';

export interface RunIds {
  readonly runId: string;
  readonly session: string;
  readonly owner: OwnerKey;
}

/** Clients that no fault meets, and where everything is. */
export interface VerdictPlaces {
  readonly ports: ReturnType<typeof runPorts> & {
    readonly chats: ReturnType<typeof dynamoChats>;
    readonly store: S3ResultStore;
  };
  readonly documents: DynamoDBDocumentClient;
  readonly catalogTable: string;
  readonly s3: S3Client;
  readonly bucket: string;
}

export interface VerdictExpectation {
  /** SHA-256 of what each tool of the run makes; of other tools nothing is expected to be stored whole. */
  readonly produced: Readonly<Record<string, string>>;
  /** The agents whose messages are looked at. */
  readonly agents: readonly string[];
  /** How often a tool was executed for this run, where that is counted. */
  readonly executions?: (tool: string) => number;
}

/** What a run has left behind, and everything wrong with it. */
export interface Verdict {
  readonly ended: boolean;
  /** Results of the tools that are stored whole. */
  readonly whole: number;
  /** Results that were not stored, and whose outcome says so. */
  readonly said: number;
  readonly lost: readonly string[];
  readonly dangling: readonly string[];
  readonly doubled: readonly string[];
}

/** Looks at every table, object, grant, message and chat turn of one run. */
export async function runVerdict(
  { runId, session, owner }: RunIds,
  { ports, documents, catalogTable, s3, bucket }: VerdictPlaces,
  { produced, agents, executions = () => 0 }: VerdictExpectation,
): Promise<Verdict> {
  const lost: string[] = [];
  const dangling: string[] = [];
  const doubled: string[] = [];
  const run = await ports.runs.get(runId);
  const entries = (await itemsWithPrefix({ documents, table: catalogTable }, owner, `${session}/`)).filter(
    ({ status }) => status === 'stored',
  );
  const Prefix = `results/${owner}/${session}/`;
  const objects = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }));
  if (objects.IsTruncated === true) throw new Error('a session of one run is expected to hold at most 1,000 objects');
  const keys = new Set((objects.Contents ?? []).map(({ Key }) => String(Key)));
  const address = (ref: string) => ({ owner, session, id: ref.slice(33) });
  const there = (ref: string) => ['body', 'index'].every((kind) => keys.has(`${Prefix}${ref.slice(33)}/${kind}`));

  for (const { sk } of entries) if (!there(String(sk))) dangling.push(`catalogue ${sk}`);
  for (const { ref } of await ports.grants.all(runId)) if (!there(ref)) dangling.push(`grant ${ref}`);
  for (const key of keys) if (key.endsWith('/index') && !keys.has(key.replace(/index$/, 'body'))) dangling.push(key);
  const outcomes = await ports.outcomes.list<ToolOutcome>(runId, 'tool/');
  let whole = 0;
  let said = 0;
  for (const { key, outcome } of outcomes) {
    if (outcome.ref !== null && !there(outcome.ref)) dangling.push(`outcome ${key}`);
    if (outcome.status === 'error' || !Object.hasOwn(produced, outcome.tool)) continue;
    if (outcome.ref === null) {
      if (JSON.stringify(outcome.content).includes('not kept')) said += 1;
      else lost.push(`${key}: nothing says that the rest was not kept`);
      continue;
    }
    const index = await ports.store.readIndex(address(outcome.ref));
    if (index?.sha256 === produced[outcome.tool]) whole += 1;
    else lost.push(`${key}: another digest`);
  }
  for (const tool of Object.keys(produced)) {
    const stored = entries.filter((entry) => entry['tool'] === tool).length;
    if (stored > 1) doubled.push(`${stored} results of ${tool}`);
    const times = executions(tool);
    if (times > defaultSettings.retry.maxAttempts) doubled.push(`${tool} was executed ${times} times`);
  }
  for (const agent of agents) {
    const thread = await ports.messages.thread(runId, agent, { leaveOutUnfinished: true });
    const places = thread.map(({ turn, role }) => `${turn} ${role}`);
    if (new Set(places).size !== places.length) doubled.push(`messages of ${agent}`);
    for (const { content } of thread) {
      const uses = content.flatMap((block) => ('toolResult' in block ? [block.toolResult.toolUseId] : []));
      if (new Set(uses).size !== uses.length) doubled.push(`tool results of ${agent}`);
    }
  }
  const turns = await ports.chats.turns(owner, session);
  if (turns.length > 1) doubled.push(`${turns.length} chat turns`);
  if (run !== undefined && run.status !== 'admitted' && turns.length === 0) lost.push('the chat turn');
  for (const turn of turns) {
    for (const { ref } of turn.references) if (!there(ref)) dangling.push(`chat ${ref}`);
  }
  return { ended: run !== undefined && run.status !== 'admitted', whole, said, lost, dangling, doubled };
}
