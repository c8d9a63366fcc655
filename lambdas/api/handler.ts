import { documentClient, s3Client, stepFunctionsClient } from '../../aws/clients.ts';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { dynamoChats } from '../../aws/dynamo-chats.ts';
import { DynamoReplacements } from '../../aws/dynamo-replacements.ts';
import { executionStatus } from '../../aws/execution-status.ts';
import { downloadObjects } from '../../aws/object-url.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { secretText } from '../../aws/session-secret.ts';
import { assertContinuable } from '../../core/chat/open-chat.ts';
import { saveTurn } from '../../core/chat/save-turn.ts';
import { closeRun } from '../../core/flow/close-run.ts';
import { type ApiPorts, respondToApi } from '../../core/http/api-routes.ts';
import { turnOfRun } from '../../core/http/chat-routes.ts';
import type { HttpRequest } from '../../core/http/request.ts';
import { currentRoles } from '../../core/identity/role-source.ts';
import { newId } from '../../core/reference/reference.ts';
import { admitRun } from '../../core/run/admit.ts';
import { systemClock, type Telemetry } from '../../core/telemetry/telemetry.ts';
import { tools } from '../../tools/catalogue.ts';
import { admissionPorts } from '../admission.ts';
import { readEnvironment } from '../environment.ts';
import { httpHandler } from '../http-handler.ts';
import { people, secrets } from '../people.ts';
import { runPorts, runTable } from '../run-ports.ts';

const environment = readEnvironment(
  process.env,
  'bucket',
  'runs',
  'catalog',
  'chats',
  'sessions',
  'identity',
  'secret',
  'baseUrl',
  'flows',
);
const { settings, flows, baseUrl } = environment;
const documents = documentClient();
const s3 = s3Client();
const executions = stepFunctionsClient();
const known = people(environment, documents);
const secret = secretText(secrets, environment.secret);
const clock = systemClock;
const admission = admissionPorts(environment, documents, executions);
const { runs, messages, activeRuns, erasures } = admission;
const catalogue = new DynamoCatalogue(documents, environment.catalog);
const table = runTable(documents, environment.runs, settings);
const { outcomes } = runPorts(table);
const replacements = new DynamoReplacements(table);
const chats = dynamoChats(documents, environment.chats);

/** Runs, chats, catalogue and result views for the console and for programs. */
export const handler = httpHandler('api', (request: HttpRequest, telemetry) =>
  respondToApi(request, portsWith(telemetry)),
);

function portsWith(telemetry: Telemetry): ApiPorts {
  const store = new S3ResultStore(s3, environment.bucket, telemetry);
  const rolesOf: ApiPorts['rolesOf'] = (holder) => currentRoles(known.roles, holder, telemetry);
  const viewer: ApiPorts['viewer'] = async (identity) => ({ roles: await rolesOf(identity), tools, now: clock.now() });
  return {
    signIn: known,
    rolesOf,
    viewer,
    publicBaseUrl: baseUrl,
    agents: Object.keys(flows).sort(),
    clock,
    sealingSecret: async () => Buffer.from(await secret(), 'utf8'),
    chats,
    catalogue,
    outcomes,
    store,
    gate: { objects: downloadObjects(s3, environment.bucket, telemetry), roles: known.roles, tools, telemetry, clock },
    start: async ({ identity, session, ...request }) => {
      if (session !== null) await assertContinuable(chats, identity.owner, session, clock.now());
      return admitRun(
        {
          ...request,
          owner: identity.owner,
          holder: identity,
          session: session ?? newId(),
          newSession: session === null,
        },
        { ...admission, currentRoles: rolesOf, telemetry },
      );
    },
    find: (runId) => runs.get(runId),
    settle: async (run) => {
      const status = await executionStatus(executions, run.stateMachineArn, run.runId);
      if (status === undefined || status === 'RUNNING' || status === 'PENDING_REDRIVE') return run;
      await closeRun(
        { runId: run.runId, stateMachineArn: run.stateMachineArn, status },
        {
          runs,
          activeRuns,
          clock,
          telemetry,
          saveFailedTurn: async (open, failure) => {
            const saving = {
              messages,
              outcomes,
              replacements,
              catalogue,
              chats,
              erasures,
              store,
              tools,
              clock,
              telemetry,
            };
            await saveTurn(open, { code: status, message: failure }, settings, saving);
          },
        },
      );
      return (await runs.get(run.runId)) ?? run;
    },
    turn: (identity, run) => turnOfRun(identity, run, { chats, viewer }),
  };
}
