import { ClaimcheckError } from '../core/errors.ts';
import { parseReference } from '../core/reference/reference.ts';
import type { ResultAddress, ResultStore } from '../core/store/result-store.ts';
import type { BodyReader } from '../lambdas/analysis-engine/read-body.ts';

const scheme = 'claimcheck-store:';

/** The address of a body for an engine in this process: it opens nothing outside of it. */
export function storeUrl({ owner, session, id }: ResultAddress): string {
  return `${scheme}${owner}/${session}/${id}`;
}

/** Reads bodies from a store by the addresses that `storeUrl` makes. */
export function storeReader(store: Pick<ResultStore, 'headBody' | 'readBody'>): BodyReader {
  return async ({ name, url }, signal, take) => {
    const address = addressOf(url);
    const head = await store.headBody(address);
    const body = head === undefined ? undefined : await store.readBody(address, head.etag);
    if (body === undefined) {
      throw new ClaimcheckError('StorageUnavailable', `${name}: the stored copy is not there`);
    }
    for await (const piece of body) {
      if (signal.aborted) throw new ClaimcheckError('StorageUnavailable', `${name}: the stored copy came too slowly`);
      await take(piece);
    }
  };
}

function addressOf(url: string): ResultAddress {
  const [owner = '', session = '', id = ''] = url.startsWith(scheme) ? url.slice(scheme.length).split('/') : [];
  return { owner: owner as ResultAddress['owner'], ...parseReference(`${session}/${id}`) };
}
