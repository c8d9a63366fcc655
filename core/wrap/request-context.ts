import { createHash } from 'node:crypto';
import { ownerKey } from '../reference/owner-key.ts';
import { isId } from '../reference/reference.ts';
import { rolesDigest } from '../run/roles-digest.ts';
import type { Run } from '../run/run.ts';

/** Whose call it is: from the process around an agent (a verified token, a configured local owner), never from a model. */
export interface RequestContext {
  /** The authenticated person. */
  readonly owner: string;
  /** One chat: results of a session can be read by its later runs. Any text; 32 hex digits are taken as they are. */
  readonly session: string;
  /**
   * One execution of the agent; the session, where a process has one run in each. Any text, as above. An id of 32 hex
   * digits stands for the roles that it was first given with: a new one where roles change.
   */
  readonly run?: string;
  readonly roles?: readonly string[];
  /** References of other sessions of this owner that the run was admitted with. */
  readonly references?: readonly string[];
}

/** Undefined: it is not known whose call this is, and then nothing is stored. */
export type ContextOf<Call> = (call: Call) => RequestContext | undefined | Promise<RequestContext | undefined>;

/**
 * A run of the process's own, admitted with what its context says. A run keeps its grants, whatever becomes of roles
 * (DESIGN 7.5), and here nothing records those of its admission: other roles are another run. Throws `Forbidden` for an
 * empty owner.
 */
export function processRun(context: RequestContext, now: Date): Run {
  const owner = ownerKey(context.owner);
  const session = idOf('session', `${owner}/${context.session}`, context.session);
  const roles = [...new Set(context.roles ?? [])].sort();
  const digest = rolesDigest(roles);
  const held = roles.length === 0 ? 'run' : `run/${digest}`;
  return {
    runId:
      context.run === undefined
        ? idOf(held, `${owner}/${session}`, '')
        : idOf(held, `${owner}/${session}/${context.run}`, context.run),
    owner,
    username: context.owner,
    session,
    agent: 'process',
    roles,
    rolesDigest: digest,
    message: '',
    stateMachineArn: '',
    status: 'admitted',
    admittedAt: now.toISOString(),
    admittedReferences: context.references ?? [],
  };
}

/** Names that people give are made into ids, the same for the same owner and name and for nobody else. */
function idOf(kind: string, scoped: string, given: string): string {
  if (isId(given)) return given;
  return createHash('sha256').update(`${kind}/${scoped}`, 'utf8').digest('hex').slice(0, 32);
}
