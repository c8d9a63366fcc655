import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { documentClient, s3Client } from '../../aws/clients.ts';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { DynamoErasures } from '../../aws/dynamo-erasures.ts';
import { LambdaToolInvoker } from '../../aws/lambda-tool-invoker.ts';
import { S3ExportStore } from '../../aws/s3-export-store.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { runTool } from '../../core/flow/run-tool.ts';
import { tools } from '../../tools/catalogue.ts';
import { readEnvironment } from '../environment.ts';
import { flowHandler, flowIdentity, hexId, toolIndex, turnNumber } from '../flow-handler.ts';
import { runPorts, runTable } from '../run-ports.ts';

const event = z.strictObject({ runId: hexId, turn: turnNumber, index: toolIndex, flow: flowIdentity });

const environment = readEnvironment(process.env, 'bucket', 'runs', 'catalog', 'sessions', 'baseUrl', 'tools');
const { settings, baseUrl } = environment;
const documents = documentClient();
const s3 = s3Client();
const ports = {
  ...runPorts(runTable(documents, environment.runs, settings)),
  catalogue: new DynamoCatalogue(documents, environment.catalog),
  erasures: new DynamoErasures({ documents, table: environment.sessions }),
  invoker: new LambdaToolInvoker(),
  functions: environment.tools,
  tools,
  settings,
  baseUrl,
  sleep: (ms: number) => sleep(ms),
  random: Math.random,
};

/** One tool call of a run: gate, invoke, hook, outcome. */
export const handler = flowHandler('run-tool', event, (parsed, { telemetry, timeLeftMs }) =>
  runTool(parsed, {
    ...ports,
    store: new S3ResultStore(s3, environment.bucket, telemetry),
    exports: new S3ExportStore(s3, environment.bucket, telemetry),
    telemetry,
    timeLeftMs,
  }),
);
