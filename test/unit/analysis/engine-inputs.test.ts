import type { Source } from '../../../core/analysis/answer.ts';
import { engineInputs } from '../../../core/analysis/engine-inputs.ts';
import { chunkCount } from '../../../core/scan/chunk-schedule.ts';
import { ada, anId, aSession, entryOf, indexOf } from '../../fakes/stored-result.ts';

const gib = 1024 ** 3;
/** What a function can be asked with, less the longest program with every character escaped. */
const room = 6_000_000 - 6 * 64 * 1024;

/** A result of so many bytes, as far as an engine is told of it. */
function sourceOf(name: string, bytes: number): Source {
  const small = indexOf(Buffer.from('[{"n":1},{"n":2}]'));
  const digests = new Uint8Array(chunkCount(bytes) * 32).fill(7);
  const index = { ...small, bytes, chunks: { ...small.chunks, digests } };
  return { name, index, entry: entryOf(index), address: { owner: ada, session: aSession, id: anId } } as Source;
}

const inputsOf = (...bytes: readonly number[]) =>
  engineInputs(
    bytes.map((each, at) => sourceOf(`i${at}`, each)),
    { signedUrl: async () => `https://bucket.example/${'x'.repeat(2_000)}` },
  );

test.each([
  ['an empty one', [0]],
  ['a small one', [17]],
  ['the largest that can be stored', [5 * gib]],
  ['as much as fits the largest disk', Array.from({ length: 8 }, () => gib)],
])('%s: all digests, and the job can be sent', async (_, bytes) => {
  const inputs = await inputsOf(...bytes);
  for (const [at, { digests }] of inputs.entries()) {
    expect(Buffer.from(digests ?? 'none', 'base64')).toHaveLength(chunkCount(bytes[at] ?? -1) * 32);
  }
  expect(JSON.stringify(inputs).length).toBeLessThan(room);
});

test('more than any engine can hold is told without them, so that it hears that and nothing else', async () => {
  const inputs = await inputsOf(...Array.from({ length: 8 }, () => 5 * gib));
  expect(inputs.map(({ digests }) => digests)).toEqual(Array.from({ length: 8 }, () => null));
  expect(JSON.stringify(inputs).length).toBeLessThan(room);
});
