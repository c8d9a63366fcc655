import { z } from 'zod';
import { BedrockModel } from '../../aws/bedrock-model.ts';
import { bedrockClient, documentClient } from '../../aws/clients.ts';
import { callModel, plainConverse } from '../../core/flow/call-model.ts';
import { agentInstructions } from '../../prompts/agent-instructions.ts';
import { tools } from '../../tools/catalogue.ts';
import { modelSettingsOf, readEnvironment } from '../environment.ts';
import { agentName, flowHandler, flowIdentity, hexId, turnNumber } from '../flow-handler.ts';
import { runPorts, runTable } from '../run-ports.ts';

const event = z.strictObject({ runId: hexId, turn: turnNumber, agent: agentName, flow: flowIdentity });

/** Milliseconds for one call of the model service. */
const modelTimeoutMs = 120_000;

const environment = readEnvironment(process.env, 'runs', 'models');
const { settings } = environment;
const model = new BedrockModel(bedrockClient(modelTimeoutMs));
const ports = {
  ...runPorts(runTable(documentClient(), environment.runs, settings)),
  tools,
  functions: Object.fromEntries(tools.all().map((tool) => [tool.name, tool.name])),
  instructions: agentInstructions,
  modelSettings: (agent: string) => modelSettingsOf(environment.models, agent),
  history: async () => [],
  converse: plainConverse(model),
  settings,
};

/** Guards and makes one model call of a run, and appends the answer. */
export const handler = flowHandler('call-model', event, (parsed, { telemetry }) =>
  callModel(parsed, { ...ports, telemetry }),
);
