import * as z from 'zod/mini';
import { BedrockModel } from '../../aws/bedrock-model.ts';
import { BedrockStreamModel } from '../../aws/bedrock-stream-model.ts';
import { bedrockClient, documentClient, s3Client } from '../../aws/clients.ts';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { dynamoChats } from '../../aws/dynamo-chats.ts';
import { DynamoErasures } from '../../aws/dynamo-erasures.ts';
import { DynamoReplacements } from '../../aws/dynamo-replacements.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { type ChatHistory, chatHistory } from '../../core/chat/chat-history.ts';
import { callModel } from '../../core/flow/call-model.ts';
import { guardedConverse } from '../../core/guard/guarded-converse.ts';
import { offeringPython } from '../../core/tool/builtin-analyze.ts';
import { agentInstructions } from '../../prompts/agent-instructions.ts';
import { tools } from '../../tools/catalogue.ts';
import { modelSettingsOf, readEnvironment } from '../environment.ts';
import { agentName, flowHandler, flowIdentity, hexId, turnNumber } from '../flow-handler.ts';
import { runPorts, runTable } from '../run-ports.ts';

const event = z.strictObject({ runId: hexId, turn: turnNumber, agent: agentName, flow: flowIdentity });

/** Milliseconds for one call of the model service. */
const modelTimeoutMs = 120_000;

const environment = readEnvironment(
  process.env,
  'bucket',
  'runs',
  'catalog',
  'chats',
  'sessions',
  'models',
  'tools',
  'python',
);
const { settings } = environment;
const documents = documentClient();
const s3 = s3Client();
const bedrock = bedrockClient(modelTimeoutMs);
const whole = new BedrockModel(bedrock);
const streaming = new BedrockStreamModel(bedrock);
const table = runTable(documents, environment.runs, settings);
const ports = {
  ...runPorts(table),
  replacements: new DynamoReplacements(table),
  catalogue: new DynamoCatalogue(documents, environment.catalog),
  erasures: new DynamoErasures({ documents, table: environment.sessions }),
  chats: dynamoChats(documents, environment.chats),
  tools: offeringPython(tools, environment.python !== undefined),
  functions: environment.tools,
  instructions: agentInstructions,
  modelSettings: (agent: string) => modelSettingsOf(environment.models, agent),
  settings,
};

/** Guards and makes one model call of a run, and appends the answer. */
export const handler = flowHandler('call-model', event, (parsed, { telemetry }) => {
  const store = new S3ResultStore(s3, environment.bucket, telemetry);
  let chat: ChatHistory | undefined;
  return callModel(parsed, {
    ...ports,
    history: async (run, agent) => {
      // Roles and instant of the admission: every call of the run sees the same turns.
      chat = await chatHistory(ports.chats, run.owner, run.session, {
        agent,
        roles: run.roles,
        tools,
        now: new Date(run.admittedAt),
        savedBefore: run.admittedAt,
      });
      return chat.messages;
    },
    converse: guardedConverse(ports.modelSettings(parsed.agent).stream === true ? streaming : whole, {
      ...ports,
      store,
      origin: (content) => chat?.origin(content),
      telemetry,
    }),
    telemetry,
  });
});
