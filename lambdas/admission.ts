import type { SFNClient } from '@aws-sdk/client-sfn';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DynamoActiveRuns } from '../aws/dynamo-active-runs.ts';
import { DynamoCatalogue } from '../aws/dynamo-catalogue.ts';
import { DynamoErasures } from '../aws/dynamo-erasures.ts';
import { StepFunctionsStarter } from '../aws/step-functions.ts';
import type { AdmissionPorts } from '../core/run/admit.ts';
import { tools } from '../tools/catalogue.ts';
import type { CommonEnvironment, Environment } from './environment.ts';
import { runPorts, runTable } from './run-ports.ts';

/** What admission needs, by HTTP or directly, but for the role look-up and the telemetry of one invocation. */
export function admissionPorts(
  environment: CommonEnvironment & Pick<Environment, 'runs' | 'catalog' | 'sessions' | 'flows'>,
  documents: DynamoDBDocumentClient,
  stepFunctions: SFNClient,
): Omit<AdmissionPorts, 'currentRoles' | 'telemetry'> {
  const { settings } = environment;
  const table = runTable(documents, environment.runs, settings);
  return {
    ...runPorts(table),
    activeRuns: new DynamoActiveRuns(table, settings.run.maxAgeSeconds),
    erasures: new DynamoErasures({ documents, table: environment.sessions }),
    catalogue: new DynamoCatalogue(documents, environment.catalog),
    tools,
    starter: new StepFunctionsStarter(stepFunctions),
    flows: environment.flows,
    settings,
  };
}
