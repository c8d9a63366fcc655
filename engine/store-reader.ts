import { ClaimcheckError } from '../core/errors.ts';
import { parseReference } from '../core/reference/reference.ts';
import type { ResultAddress, ResultStore } from '../core/store/result-store.ts';
import type { BodyReader } from '../lambdas/analysis-engine/read-body.ts';

const scheme = 'claimcheck-store:';

/** The address of a body for an engine in this process: it opens nothing outside of it. */
export function storeUrl({ owner, session, id }: ResultAddress): string {
  return `${scheme}${owner}/${session}/${id}`;
}

/**
 * Reads bodies from a store by the addresses that `storeUrl` makes. Throws `StorageUnavailable` when a body is not there,
 * cannot be read, or is not there whole before `signal` says so, whatever the store is waiting for.
 */
export function storeReader(store: Pick<ResultStore, 'headBody' | 'readBody'>): BodyReader {
  return async ({ name, url }, signal, take) => {
    const unavailable = (what: string, cause?: unknown) =>
      new ClaimcheckError('StorageUnavailable', `${name}: the stored copy ${what}`, {}, { cause });
    const late = new Promise<never>((_, reject) => {
      const end = () => reject(unavailable('came too slowly'));
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
    late.catch(() => {});
    const soon = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await Promise.race([work, late]);
      } catch (error) {
        throw error instanceof ClaimcheckError ? error : unavailable('cannot be read right now', error);
      }
    };
    const address = addressOf(url);
    const head = await soon(store.headBody(address));
    const body = head && (await soon(store.readBody(address, head.etag)));
    if (body === undefined) throw unavailable('is not there');
    const pieces = body[Symbol.asyncIterator]();
    try {
      for (let next = await soon(pieces.next()); next.done !== true; next = await soon(pieces.next())) {
        // What is taken is written over, and the store may have handed out its own memory.
        take(Buffer.from(next.value));
      }
    } finally {
      // Not waited for: what does not come may not end either.
      Promise.resolve(pieces.return?.()).catch(() => {});
    }
  };
}

function addressOf(url: string): ResultAddress {
  const [owner = '', session = '', id = ''] = url.startsWith(scheme) ? url.slice(scheme.length).split('/') : [];
  return { owner: owner as ResultAddress['owner'], ...parseReference(`${session}/${id}`) };
}
