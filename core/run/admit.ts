import type { Catalogue } from '../catalogue/catalogue.ts';
import { wellFormed } from '../content/well-formed.ts';
import { ClaimcheckError } from '../errors.ts';
import type { RoleHolder } from '../identity/role-source.ts';
import type { OwnerKey } from '../reference/owner-key.ts';
import { isId, parseReference, type Reference } from '../reference/reference.ts';
import type { Settings } from '../settings.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';
import { passesGates, type ToolCatalogue } from '../tool/tool-definition.ts';
import type { ActiveRuns, Erasures, FlowStarter } from './flow-starter.ts';
import type { RunMessages } from './messages.ts';
import { openingAgent } from './opening-agent.ts';
import { rolesDigest } from './roles-digest.ts';
import type { Grants, Run, RunRecords } from './run.ts';

/** At most this many references of other sessions go with one run. */
const maxReferences = 50;

export interface AdmissionRequest {
  readonly runId: string;
  readonly owner: OwnerKey;
  /** Who the person is to the role look-up. */
  readonly holder: RoleHolder;
  readonly session: string;
  /** The session was made for this very request: a repeat of it comes with another one, and means the first's. */
  readonly newSession?: boolean;
  readonly agent: string;
  readonly message: string;
  /** Own stored results of other sessions that the run may read. */
  readonly references?: readonly string[];
  /** Given by a trusted principal: must be the one of the agent. */
  readonly stateMachineArn?: string;
}

export interface AdmissionPorts {
  readonly runs: RunRecords;
  readonly messages: RunMessages;
  readonly grants: Grants;
  readonly activeRuns: ActiveRuns;
  readonly erasures: Erasures;
  readonly catalogue: Pick<Catalogue, 'find'>;
  readonly tools: ToolCatalogue;
  readonly starter: FlowStarter;
  /** Current roles; throws when they cannot be known, which refuses the run. */
  readonly currentRoles: (holder: RoleHolder) => Promise<readonly string[]>;
  /** Agent → state machine ARN. */
  readonly flows: Readonly<Record<string, string>>;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface Admitted {
  readonly runId: string;
  readonly session: string;
  readonly created: boolean;
}

/**
 * Admits one run: the roles are looked up now, the record is written put-if-absent before the execution starts, and a
 * repeat of the same request is the same run. Throws `InvalidInput` (unknown agent, message too long, a run id in use
 * for something else: another agent, message, chat or other references), `Forbidden` (erased owner), `QuotaExceeded` (too many runs at once), `RolesUnavailable`,
 * `BadReference` and `NotFound` (a reference that is not the owner's to admit).
 */
export async function admitRun(asked: AdmissionRequest, ports: AdmissionPorts): Promise<Admitted> {
  // A table may keep half a surrogate pair as something else, and a repeat would not be recognised.
  const request = { ...asked, message: wellFormed(asked.message) };
  // A repeat may bring another new session than the one that its run has.
  const { runId, session, newSession = false } = request;
  ports.telemetry.add?.({ runId, ...(newSession ? {} : { session }) });
  const stateMachineArn = checkRequest(request, ports);
  if (await ports.erasures.isErased(request.owner)) {
    throw new ClaimcheckError('Forbidden', 'run: this account was erased');
  }
  const known = await ports.runs.get(request.runId);
  if (known !== undefined) return repeated(known, request, ports);

  const roles = [...new Set(await ports.currentRoles(request.holder))].sort();
  const admittedReferences = await checkReferences(request, roles, ports);
  await enterLimit(request, ports);
  const now = ports.clock.now().toISOString();
  const { created, run } = await ports.runs.admit({
    runId: request.runId,
    owner: request.owner,
    username: request.holder.username,
    session: request.session,
    agent: request.agent,
    roles,
    rolesDigest: rolesDigest(roles),
    message: request.message,
    stateMachineArn,
    status: 'admitted',
    admittedAt: now,
    admittedReferences,
  });
  if (!created) return repeated(run, request, ports);
  ports.telemetry.decision('admitted', { runId: run.runId, session: run.session, agent: run.agent, created });
  await begin(run, ports);
  return { runId: run.runId, session: run.session, created };
}

/** Everything after the record can be repeated: a first admission that died half-way is finished by the second. */
async function begin(run: Run, ports: AdmissionPorts): Promise<void> {
  for (const ref of run.admittedReferences) {
    await ports.grants.give(run.runId, { ref, via: 'admitted', grantedAt: run.admittedAt });
  }
  await ports.messages.append(run.runId, {
    agent: openingAgent(run.agent),
    turn: 0,
    role: 'user',
    content: [{ text: run.message }],
  });
  await ports.starter.start(run.stateMachineArn, run.runId);
}

async function repeated(run: Run, request: AdmissionRequest, ports: AdmissionPorts): Promise<Admitted> {
  const { owner, agent, message, session, newSession = false } = request;
  const same = run.owner === owner && run.agent === agent && run.message === message;
  const references = distinctReferences(request).sort().join();
  if (!same || (!newSession && run.session !== session) || [...run.admittedReferences].sort().join() !== references) {
    throw new ClaimcheckError('InvalidInput', 'run: this id is in use for another request');
  }
  if (run.status === 'admitted') await begin(run, ports);
  return { runId: run.runId, session: run.session, created: false };
}

function checkRequest(request: AdmissionRequest, { flows, settings }: AdmissionPorts): string {
  if (!isId(request.runId) || !isId(request.session)) {
    throw new ClaimcheckError('InvalidInput', 'run and session: expected 32 lower-case hexadecimal digits each');
  }
  const stateMachineArn = Object.hasOwn(flows, request.agent) ? flows[request.agent] : undefined;
  if (stateMachineArn === undefined) {
    throw new ClaimcheckError('InvalidInput', 'agent: there is no such agent', { agents: Object.keys(flows).sort() });
  }
  if (request.stateMachineArn !== undefined && request.stateMachineArn !== stateMachineArn) {
    throw new ClaimcheckError('InvalidInput', "stateMachineArn: expected the agent's own flow");
  }
  if (request.message.trim() === '') throw new ClaimcheckError('InvalidInput', 'message: expected some text');
  const bytes = Buffer.byteLength(request.message, 'utf8');
  if (bytes > settings.run.maxMessageBytes) {
    throw new ClaimcheckError(
      'InvalidInput',
      `message: expected at most ${settings.run.maxMessageBytes} bytes, found ${bytes}`,
      { bytes, maxBytes: settings.run.maxMessageBytes },
    );
  }
  if ((request.references?.length ?? 0) > maxReferences) {
    throw new ClaimcheckError('InvalidInput', `references: expected at most ${maxReferences}`);
  }
  return stateMachineArn;
}

/** Own, kept and allowed to the roles held now; anything else is one answer, word for word. */
async function checkReferences(
  { owner, references = [] }: AdmissionRequest,
  roles: readonly string[],
  { catalogue, tools, clock }: AdmissionPorts,
): Promise<readonly string[]> {
  const refs = distinctReferences({ references });
  for (const ref of refs) {
    const entry = await catalogue.find(owner, ref);
    const kept = entry?.status === 'stored' && Date.parse(entry.availableUntil) > clock.now().getTime();
    if (entry === undefined || !kept || !passesGates(tools, entry.gates, roles)) {
      throw new ClaimcheckError('NotFound', 'references: one of them is not yours to read');
    }
  }
  return refs;
}

function distinctReferences({ references = [] }: Pick<AdmissionRequest, 'references'>): Reference[] {
  return [...new Set(references.map((reference) => parseReference(reference).ref))];
}

/** Two that enter at once may both be refused at the limit, but never are both admitted above it. */
async function enterLimit({ owner, runId }: AdmissionRequest, ports: AdmissionPorts): Promise<void> {
  const limit = ports.settings.run.parallelPerOwner;
  const entered = await ports.activeRuns.enter(owner, runId);
  if (entered.length <= limit) return;
  // The event that ends an execution may be late or lost: a run that has ended counts no more.
  let running = 1;
  for (const id of entered.filter((other) => other !== runId)) {
    const run = await ports.runs.get(id);
    if (run?.status === 'admitted' || run === undefined) running += 1;
    else await ports.activeRuns.leave(owner, id);
  }
  if (running <= limit) return;
  await ports.activeRuns.leave(owner, runId);
  ports.telemetry.count('QuotaRefused', 1, { reason: 'parallel_runs' });
  throw new ClaimcheckError('QuotaExceeded', `run: ${limit} runs at once are allowed; wait for one to end`, { limit });
}
