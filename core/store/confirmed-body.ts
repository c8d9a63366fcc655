import { ClaimcheckError } from '../errors.ts';
import { isId } from '../reference/reference.ts';
import { viewCovers } from '../tool/gate.ts';
import type { KeepPorts, KeepRequest } from './keeping.ts';
import type { BodyMetadata, ResultAddress } from './result-store.ts';

export interface FoundBody {
  /** What the object promises; never later than what the platform promises now. */
  readonly availableUntil: string;
  readonly etag: string;
  readonly bytes: number;
  readonly fileName?: string;
}

export async function openBody(
  address: ResultAddress,
  etag: string,
  ports: KeepPorts,
): Promise<AsyncIterable<Uint8Array>> {
  const body = await ports.store.readBody(address, etag);
  if (body === undefined) throw new ClaimcheckError('StorageUnavailable', 'storage: the stored copy is gone');
  return body;
}

/** Looks at the object that a wrapper names; undefined unless it was made for this run, turn, index and tool. */
export async function confirmedBody(request: KeepRequest, ports: KeepPorts): Promise<FoundBody | undefined> {
  const { reported, run, resultId } = request;
  const { id } = (typeof reported === 'object' && reported !== null ? reported : {}) as { readonly id?: unknown };
  if (!isId(id) || id !== resultId) {
    ports.telemetry.decision('stored_refused', { reason: 'another id than the claimed one' });
    return undefined;
  }
  const head = await ports.store.headBody({ owner: run.owner, session: run.session, id });
  if (head === undefined) {
    ports.telemetry.decision('stored_refused', { reason: 'no such object' });
    return undefined;
  }
  const made = head.metadata;
  if (!madeByThisCall(made, request)) {
    ports.telemetry.decision('stored_refused', { reason: 'made by another call' });
    return undefined;
  }
  const { fileName } = made;
  const availableUntil = earlier(made.availableUntil, request.availableUntil);
  return { etag: head.etag, bytes: head.bytes, availableUntil, ...(fileName === undefined ? {} : { fileName }) };
}

/** A date that cannot be read promises nothing. */
function earlier(promised: string, now: string): string {
  return Date.parse(promised) < Date.parse(now) ? new Date(promised).toISOString() : now;
}

/** Does an object's own metadata name this run, turn, index and tool (DESIGN 5.3), reduced as this run's roles ask? */
export function madeByThisCall(made: BodyMetadata, { run, turn, index, tool }: KeepRequest): boolean {
  return (
    made.runId === run.runId &&
    made.turn === turn &&
    made.index === index &&
    made.tools.length === 1 &&
    made.tools.every((gate) => viewCovers(tool, gate, run.roles))
  );
}
