import * as z from 'zod/mini';
import { signedBodyUrl } from '../../aws/analysis-inputs.ts';
import { analysisStaging } from '../../aws/analysis-staging.ts';
import { documentClient, s3Client, uploadSigningClient } from '../../aws/clients.ts';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { DynamoErasures } from '../../aws/dynamo-erasures.ts';
import { lambdaAnalysisEngine } from '../../aws/lambda-analysis-engine.ts';
import { LambdaToolInvoker } from '../../aws/lambda-tool-invoker.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { analyzeResult } from '../../core/analysis/analyze-result.ts';
import type { AnalysisEngine } from '../../core/analysis/engine.ts';
import type { RoleSource } from '../../core/identity/role-source.ts';
import type { Run } from '../../core/run/run.ts';
import { systemClock } from '../../core/telemetry/telemetry.ts';
import { tools } from '../../tools/catalogue.ts';
import { builtinHandler } from '../builtin-handler.ts';
import { readEnvironment } from '../environment.ts';
import { hexId, toolIndex, toolUseIdentity, turnNumber } from '../flow-handler.ts';
import { roleSource } from '../role-source.ts';
import { runPorts, runTable } from '../run-ports.ts';

/** The rest of the input is the core's to check. */
const event = z.looseObject({ runId: hexId, turn: turnNumber, index: toolIndex, toolUseId: toolUseIdentity });

/** The engine's own limits nest inside: 40 s to fetch, 30 s for the program, 20 s for the chart, 10 s for uploads. */
const engineMs = 110_000;
const limits = { deadlineMs: 30_000, maxOutputBytes: 2 * 1024 * 1024 };
/** A token is believed about roles while it is younger than this (DESIGN 7.4), and a run is as old as its token at least. */
const youngMs = 5 * 60_000;

const { settings, bucket, runs, catalog, sessions, identity, baseUrl, engine, python } = readEnvironment(
  process.env,
  ...(['bucket', 'runs', 'catalog', 'sessions', 'identity', 'baseUrl', 'engine', 'python'] as const),
);
const documents = documentClient();
const s3 = s3Client();
const { runs: records, grants, outcomes } = runPorts(runTable(documents, runs, settings));
const ports = {
  grants,
  outcomes,
  catalogue: new DynamoCatalogue(documents, catalog),
  erasures: new DynamoErasures({ documents, table: sessions }),
  engine: lambdaAnalysisEngine(new LambdaToolInvoker(), engine.engine, engineMs),
  signedUrl: signedBodyUrl(s3, bucket),
  staging: analysisStaging(s3, uploadSigningClient(), bucket),
  clock: systemClock,
  tools,
  settings,
  baseUrl,
  limits,
};
const lookUp = identity.roles === 'token' ? null : roleSource(identity, documents);

/** One query, script or chart over stored results of a run: the broker in front of the engine. */
export const brokerHandler = (withPython?: (interpreter: string) => AnalysisEngine) =>
  builtinHandler('analyze-result', event, { runs: records, settings }, async (parsed, run, telemetry) => {
    const { runId: _run, turn, index, toolUseId, ...input } = parsed;
    const store = new S3ResultStore(s3, bucket, telemetry);
    return analyzeResult(run, { turn, index, toolUseId }, input, {
      ...ports,
      python: python === undefined ? undefined : withPython?.(python),
      store,
      telemetry,
      roles: lookUp ?? tokenAge(run),
    });
  });

/** Where only tokens know roles, a run's recorded ones count for as long as the token would have. */
function tokenAge(run: Run): RoleSource {
  return {
    rolesOf: async () => {
      if (Date.now() - Date.parse(run.admittedAt) < youngMs) return run.roles;
      throw new Error('the run is older than a token is believed');
    },
  };
}
