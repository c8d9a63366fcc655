import * as z from 'zod/mini';
import { documentClient, stepFunctionsClient } from '../../aws/clients.ts';
import { dynamoChats } from '../../aws/dynamo-chats.ts';
import { powertoolsTelemetry } from '../../aws/powertools-telemetry.ts';
import { assertContinuable } from '../../core/chat/open-chat.ts';
import { ClaimcheckError, errorOutcome } from '../../core/errors.ts';
import { currentRoles } from '../../core/identity/role-source.ts';
import { readInput } from '../../core/input/read-input.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import { admitRun } from '../../core/run/admit.ts';
import { systemClock } from '../../core/telemetry/telemetry.ts';
import { admissionPorts } from '../admission.ts';
import { readEnvironment } from '../environment.ts';
import { fault, nameOf } from '../fault.ts';
import { agentName, hexId } from '../flow-handler.ts';
import { roleSource } from '../role-source.ts';

/** `owner` is the subject that the trusted principal has verified; the key is made from it here. */
const event = z.strictObject({
  runId: hexId,
  owner: z.string().check(z.minLength(1), z.maxLength(1_000)),
  username: z.string().check(z.minLength(1), z.maxLength(1_000)),
  session: hexId,
  agent: agentName,
  message: z.string().check(z.minLength(1)),
  stateMachineArn: z.string().check(z.minLength(1), z.maxLength(2_048)),
  references: z.optional(z.array(z.string().check(z.maxLength(100))).check(z.maxLength(50))),
});

const environment = readEnvironment(process.env, 'runs', 'catalog', 'chats', 'sessions', 'identity', 'flows');
const documents = documentClient();
const roles = roleSource(environment.identity, documents);
const chats = dynamoChats(documents, environment.chats);
const ports = admissionPorts(environment, documents, stepFunctionsClient());

/** Admission for principals in `flows.trusted`, who invoke this function directly. */
export async function handler(input: unknown): Promise<unknown> {
  const parsed = readInput(event, input, 'event');
  const telemetry = powertoolsTelemetry('admit-run', parsed.success ? { runId: parsed.data.runId } : {});
  try {
    if (!parsed.success) throw parsed.error;
    const { owner, username, references, ...rest } = parsed.data;
    const { caseSensitive = false } = environment.identity;
    const key = ownerKey(owner, { caseSensitive });
    // What its owner has deleted is not brought back to life by a flow either.
    await assertContinuable(chats, key, rest.session, systemClock.now());
    return await admitRun(
      {
        ...rest,
        owner: key,
        holder: { username },
        ...(references === undefined ? {} : { references }),
      },
      {
        ...ports,
        telemetry,
        currentRoles: (holder) => currentRoles(roles, holder, telemetry),
      },
    );
  } catch (error) {
    if (!(error instanceof ClaimcheckError)) {
      telemetry.decision('fault', { error: nameOf(error) });
      throw fault(error);
    }
    telemetry.decision('refused', { code: error.code });
    telemetry.count('Refusal', 1, { code: error.code });
    return errorOutcome(error);
  } finally {
    telemetry.flush();
  }
}
