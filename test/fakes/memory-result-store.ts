import { createHash } from 'node:crypto';
import { ClaimcheckError } from '../../core/errors.ts';
import { decodeIndex, encodeIndex } from '../../core/store/index-codec.ts';
import type { ResultIndex } from '../../core/store/result-index.ts';
import type { BodyMetadata, ResultAddress, ResultStore, StoredBody } from '../../core/store/result-store.ts';

interface Body extends StoredBody {
  readonly content: Buffer;
}

/** The result store port in memory. `failing` names the calls that the store refuses. */
export class MemoryResultStore implements ResultStore {
  readonly bodies = new Map<string, Body>();
  readonly indexes = new Map<string, ResultIndex>();
  readonly failing = new Set<keyof ResultStore>();
  /** Every call in order, to show what happened before what. */
  readonly calls: string[] = [];

  async putBody(
    address: ResultAddress,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    metadata: BodyMetadata,
    { maxBytes }: { readonly maxBytes: number },
  ): Promise<StoredBody> {
    this.#called('putBody');
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of body instanceof Uint8Array ? [body] : body) {
      bytes += part.length;
      if (bytes > maxBytes) throw new ClaimcheckError('OversizeResult', `${bytes} bytes seen, at most ${maxBytes}`);
      parts.push(Buffer.from(part));
    }
    const content = Buffer.concat(parts);
    const etag = `"${createHash('md5').update(content).digest('hex')}"`;
    const key = keyOf(address);
    const standing = this.bodies.get(key);
    if (standing !== undefined && standing.etag !== etag) throw new ClaimcheckError('StorageUnavailable', 'differs');
    this.bodies.set(key, { bytes: content.length, etag, metadata, content });
    return { bytes: content.length, etag, metadata };
  }
  async headBody(address: ResultAddress) {
    this.#called('headBody');
    return this.bodies.get(keyOf(address));
  }
  async readBody(address: ResultAddress, etag: string) {
    this.#called('readBody');
    const body = this.bodies.get(keyOf(address));
    if (body === undefined || body.etag !== etag) return undefined;
    return pieces(body.content);
  }
  async readRange(address: ResultAddress, _etag: string, start: number, end: number) {
    this.#called('readRange');
    return this.bodies.get(keyOf(address))?.content.subarray(start, end);
  }
  async putIndex(address: ResultAddress, index: ResultIndex) {
    this.#called('putIndex');
    this.indexes.set(keyOf(address), decodeIndex(encodeIndex(index)) as ResultIndex);
  }
  async readIndex(address: ResultAddress) {
    this.#called('readIndex');
    return this.indexes.get(keyOf(address));
  }

  #called(name: keyof ResultStore): void {
    this.calls.push(name);
    if (this.failing.has(name)) throw new ClaimcheckError('StorageUnavailable', 'storage: refused');
  }
}

const keyOf = ({ owner, session, id }: ResultAddress): string => `${owner}/${session}/${id}`;

async function* pieces(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < content.length; start += 65_536) yield content.subarray(start, start + 65_536);
}
