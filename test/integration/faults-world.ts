import { createHash } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DynamoActiveRuns } from '../../aws/dynamo-active-runs.ts';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { dynamoChats } from '../../aws/dynamo-chats.ts';
import { DynamoErasures } from '../../aws/dynamo-erasures.ts';
import { DynamoReplacements } from '../../aws/dynamo-replacements.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { storeFromTool } from '../../aws/tool-wrapper.ts';
import { finishRun } from '../../core/chat/finish-run.ts';
import type { MessageBlock } from '../../core/content/block.ts';
import { type CallModelResult, callModel } from '../../core/flow/call-model.ts';
import { runTool } from '../../core/flow/run-tool.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import { newId } from '../../core/reference/reference.ts';
import { admitRun } from '../../core/run/admit.ts';
import { defaultSettings } from '../../core/settings.ts';
import { silentTelemetry, systemClock } from '../../core/telemetry/telemetry.ts';
import { type ToolEvent, toolCatalogue } from '../../core/tool/tool-definition.ts';
import { runPorts, runTable } from '../../lambdas/run-ports.ts';
import { credentials, region } from '../../local/ministack.ts';
import { catalogueTable } from '../fakes/catalogue-table.ts';
import { type RunIds, runVerdict, type Verdict } from '../fakes/run-verdict.ts';
import { rowsText, rowsTool } from '../fakes/run-world.ts';

export type { RunIds, Verdict };

export const bucket = 'fault-results';
const arn = 'arn:aws:states:us-east-1:000000000000:stateMachine:claimcheck-assistant';
const rows = { rows: rowsText(900), wrapped: rowsText(4_000) };
/** The larger one leaves its tool through the wrapper, the other in the tool's answer. */
const wrappedTool = { ...rowsTool, name: 'wrapped', intake: 'wrapper' as const };
const tools = toolCatalogue([rowsTool, wrappedTool]);
export const produced = Object.fromEntries(
  Object.entries(rows).map(([name, text]) => [name, createHash('sha256').update(text).digest('hex')]),
);

export const steps = [
  'admit',
  'call-model 1',
  'run-tool rows',
  'run-tool wrapped',
  'call-model 2',
  'save-turn',
] as const;
export type StepName = (typeof steps)[number];

/** With the attempts of `aws/clients.ts`. */
function clients(endpoint: string) {
  const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 3 });
  const base = new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 4 });
  const documents = DynamoDBDocumentClient.from(base, { marshallOptions: { removeUndefinedValues: true } });
  return { s3, documents };
}

export async function makePlaces(endpoint: string): Promise<void> {
  const { s3, documents } = clients(endpoint);
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  const key = (AttributeName: string, KeyType: 'HASH' | 'RANGE') => ({ AttributeName, KeyType });
  const AttributeDefinitions = ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const }));
  const KeySchema = [key('pk', 'HASH'), key('sk', 'RANGE')];
  await documents.send(new CreateTableCommand(catalogueTable));
  for (const TableName of ['runs', 'chats', 'sessions']) {
    const table = { TableName, BillingMode: 'PAY_PER_REQUEST' as const, AttributeDefinitions, KeySchema };
    await documents.send(new CreateTableCommand(table));
  }
  s3.destroy();
  documents.destroy();
}

/** The functions of a flow over real tables and a real bucket, as their handlers put them together. */
export function flowWorld(endpoint: string) {
  const { s3, documents } = clients(endpoint);
  const settings = defaultSettings;
  const table = runTable(documents, 'runs', settings);
  const executions = new Map<string, number>();
  const store = new S3ResultStore(s3, bucket);
  const ports = {
    ...runPorts(table),
    catalogue: new DynamoCatalogue(documents, 'catalog'),
    erasures: new DynamoErasures({ documents, table: 'sessions' }),
    activeRuns: new DynamoActiveRuns(table, settings.run.maxAgeSeconds),
    chats: dynamoChats(documents, 'chats', async () => {}),
    replacements: new DynamoReplacements(table),
    store,
    tools,
    settings,
    clock: systemClock,
    telemetry: silentTelemetry,
    baseUrl: 'https://check.example',
    flows: { assistant: arn },
    functions: { rows: 'rows', wrapped: 'wrapped' },
    timeLeftMs: () => 120_000,
    sleep: async () => {},
    random: () => 0,
    currentRoles: async () => ['ops'],
    starter: { start: async () => {} },
    instructions: () => 'Answer.',
    modelSettings: () => ({ modelId: 'scripted', windowTokens: 200_000, maxTokens: 1_000, cachePoints: false }),
    history: async () => [],
    converse: async (request: { readonly messages: readonly { readonly content: readonly MessageBlock[] }[] }) => {
      const answered = request.messages.some(({ content }) => content.some((block) => 'toolResult' in block));
      const use = (name: string): MessageBlock => ({ toolUse: { toolUseId: `use-${name}`, name, input: {} } });
      return {
        message: {
          role: 'assistant' as const,
          content: answered ? [{ text: 'Both were read.' }] : [use('rows'), use('wrapped')],
        },
        stopReason: answered ? 'end_turn' : 'tool_use',
        usage: { inputTokens: 10, outputTokens: 10, cacheReadInputTokens: 0, cacheWriteInputTokens: 0 },
      };
    },
    invoker: {
      invoke: async (name: string, payload: unknown) => {
        const { context } = payload as ToolEvent;
        const call = `${context.runId} ${name}`;
        executions.set(call, (executions.get(call) ?? 0) + 1);
        if (name === 'rows') return { status: 'success', content: [{ text: rows.rows }] };
        return storeFromTool(context, () => [Buffer.from(rows.wrapped)], {
          store: new S3ResultStore(s3, bucket),
          transportBytes: settings.transport.maxBytes,
          maxBytes: settings.storage.maxBytes,
          contentType: 'application/json',
        });
      },
    },
  };
  const stop = () => {
    s3.destroy();
    documents.destroy();
  };
  return { s3, documents, table, executions, ports, stop };
}
export type FlowWorld = ReturnType<typeof flowWorld>;

export function newRun(): RunIds {
  return { runId: newId(), session: newId(), owner: ownerKey(`person-${newId()}`) };
}

const flowOf = ({ runId }: RunIds) => ({
  execution: `${arn.replace('stateMachine', 'execution')}:${runId}`,
  stateMachine: arn,
});

/** One step as its function does it. */
export function step(name: StepName, ids: RunIds, { ports }: FlowWorld, failure?: { code: string }): Promise<unknown> {
  const event = { runId: ids.runId, flow: flowOf(ids) };
  switch (name) {
    case 'admit':
      return admitRun({ ...ids, holder: { username: 'ada' }, agent: 'assistant', message: 'What is there?' }, ports);
    case 'call-model 1':
      return callModel({ ...event, turn: 0, agent: 'assistant' }, ports);
    case 'call-model 2':
      return callModel({ ...event, turn: 2, agent: 'assistant' }, ports) satisfies Promise<CallModelResult>;
    case 'run-tool rows':
      return runTool({ ...event, turn: 1, index: 0 }, ports);
    case 'run-tool wrapped':
      return runTool({ ...event, turn: 1, index: 1 }, ports);
    case 'save-turn':
      return finishRun({ ...event, failure }, ports.settings, ports);
  }
}

/** Looks at everything by clients that no fault meets. */
export function verdict(ids: RunIds, { ports, documents, s3 }: FlowWorld, made: FlowWorld): Promise<Verdict> {
  return runVerdict(
    ids,
    { ports, documents, catalogTable: 'catalog', s3, bucket },
    { produced, agents: ['assistant'], executions: (tool) => made.executions.get(`${ids.runId} ${tool}`) ?? 0 },
  );
}
