import { locateRecord } from '../scan/record-locator.ts';
import type { ResultAddress } from '../store/result-store.ts';
import type { Source } from './answer.ts';
import type { EngineInput } from './engine.ts';
import { knownTypes } from './known-types.ts';

/**
 * Most bytes of chunk digests that travel with one job, all inputs together: 4 MiB as base64, beside which there is room
 * in the 6 MB that a function can be asked with. Eight inputs of 1 GiB have 2.4 MB; more fits no engine's disk.
 */
const maxDigestBytes = 3 * 1024 * 1024;

/** What an engine is told of its inputs; beyond `maxDigestBytes` it has to do with the digests of the wholes. */
export async function engineInputs(
  sources: readonly Source[],
  { signedUrl }: { readonly signedUrl: (address: ResultAddress) => Promise<string> },
): Promise<readonly EngineInput[]> {
  const digestBytes = sources.reduce((sum, { index }) => sum + index.chunks.digests.length, 0);
  const byChunk = digestBytes <= maxDigestBytes;
  return Promise.all(
    sources.map(async ({ name, index, address }) => ({
      name,
      url: await signedUrl(address),
      bytes: index.bytes,
      sha256: index.sha256,
      digests: byChunk ? base64(index.chunks.digests) : null,
      kind: index.kind,
      path: index.path,
      table: index.table,
      recordStart: locateRecord(index, 0)?.recordStart ?? null,
      types: knownTypes(index),
    })),
  );
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}
