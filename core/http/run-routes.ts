import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { ViewedTurn } from '../chat/open-chat.ts';
import { ClaimcheckError } from '../errors.ts';
import type { Identity } from '../identity/identity.ts';
import type { RoleHolder } from '../identity/role-source.ts';
import type { OwnerKey } from '../reference/owner-key.ts';
import { isId } from '../reference/reference.ts';
import type { Outcomes, ToolOutcome } from '../run/outcomes.ts';
import type { Run } from '../run/run.ts';
import { linkOf } from './links.ts';
import type { HttpRequest } from './request.ts';
import { bodyOf } from './request-body.ts';
import { type HttpResponse, json } from './response.ts';
import type { RunResponse } from './responses.ts';

/** `POST /runs`. Who asks comes from the verified token alone: `owner`, `session` roles and the like are unknown keys. */
const startRequest = z.strictObject({
  agent: z
    .string()
    .check(z.regex(/^[a-z][a-z0-9-]{0,47}$/, 'a name of lower-case letters, digits and hyphens, at most 48')),
  message: z.string().check(z.minLength(1)),
  session: z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/, '32 hexadecimal digits (0-9, a-f)'))),
  idempotencyKey: z.string().check(z.minLength(1), z.maxLength(200)),
  /** References of other chats of the caller's own that this run may read. */
  references: z.optional(z.array(z.string()).check(z.maxLength(20))),
});

export interface NewRun {
  readonly runId: string;
  readonly identity: Identity;
  readonly agent: string;
  readonly message: string;
  readonly session: string | null;
  readonly references: readonly string[];
}

export interface RunRoutePorts {
  /** Current roles; throws `RolesUnavailable`. */
  readonly rolesOf: (holder: RoleHolder) => Promise<readonly string[]>;
  /** Admits and starts; a repeat of the same run id answers the run that stands. */
  readonly start: (
    run: NewRun,
  ) => Promise<{ readonly runId: string; readonly session: string; readonly created: boolean }>;
  readonly find: (runId: string) => Promise<Run | undefined>;
  /** The run as its execution says: closes one whose execution ended without a word (DESIGN 5.9). */
  readonly settle: (run: Run) => Promise<Run>;
  /** The run's saved turn under the roles held now; undefined while it is not saved. */
  readonly turn: (identity: Identity, run: Run) => Promise<ViewedTurn | undefined>;
  readonly outcomes: Pick<Outcomes, 'list'>;
  readonly publicBaseUrl: string;
}

/** The run of an owner's idempotency key: the same request is the same run, and nobody else's (docs/contracts.md). */
export function runIdOf(owner: OwnerKey, idempotencyKey: string): string {
  return createHash('sha256').update(`${owner}\n${idempotencyKey}`, 'utf8').digest('hex').slice(0, 32);
}

export async function startRun(request: HttpRequest, identity: Identity, ports: RunRoutePorts): Promise<HttpResponse> {
  const body = bodyOf(request, startRequest);
  const started = await ports.start({
    runId: runIdOf(identity.owner, body.idempotencyKey),
    identity,
    agent: body.agent,
    message: body.message,
    session: body.session ?? null,
    references: body.references ?? [],
  });
  return json(202, { ...started, status_url: `${ports.publicBaseUrl}/runs/${started.runId}` });
}

/** The caller's own run: its state, and once it is saved its answer, the links attached by code, and its basis. */
export async function showRun(id: string, identity: Identity, ports: RunRoutePorts): Promise<HttpResponse> {
  const found = isId(id) ? await ports.find(id) : undefined;
  if (found === undefined || found.owner !== identity.owner) throw new ClaimcheckError('NotFound', 'Not found.');
  const run = found.status === 'admitted' ? await ports.settle(found) : found;
  const turn = run.status === 'admitted' ? undefined : await ports.turn(identity, run);
  const answer: RunResponse = {
    runId: run.runId,
    session: run.session,
    agent: run.agent,
    status: run.status,
    admittedAt: run.admittedAt,
    endedAt: run.endedAt ?? null,
    failure: turn?.allowed === false ? refusedAnswer : (turn?.failure?.message ?? run.failure ?? null),
    answer: turn?.allowed === true ? turn.answer : null,
    links: (turn?.references ?? []).map((reference) => linkOf(reference, ports.publicBaseUrl)),
    basis: turn?.basis ?? null,
    steps: turn?.allowed === false ? [] : await stepsOf(run, ports),
  };
  return json(200, answer);
}

/** A name that no tool can have was made up by a model: it is a model's text, and no step of the platform's. */
async function stepsOf(run: Run, ports: Pick<RunRoutePorts, 'outcomes'>): Promise<RunResponse['steps']> {
  const ended = await ports.outcomes.list<ToolOutcome>(run.runId, 'tool/');
  return ended.map(({ outcome: { tool, status } }) => ({
    tool: /^[a-z][a-z0-9_]{0,47}$/.test(tool) ? tool : 'unknown',
    status,
  }));
}

const refusedAnswer = 'Your current roles no longer allow this answer.';
