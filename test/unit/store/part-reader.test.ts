import fc from 'fast-check';
import { BodySourceError, bodyParts, PartBuffers } from '../../../core/store/part-reader.ts';

const read = async (body: Uint8Array | AsyncIterable<Uint8Array>, partBytes: number, maxBytes = 1e6) => {
  const parts = [];
  for await (const part of bodyParts(body, partBytes, maxBytes))
    parts.push({ ...part, bytes: Buffer.from(part.bytes) });
  return parts;
};
async function* pieces(list: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* list;
}

it('cuts any pieces into full parts; only the last is short, and it is known to be the last', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 16 }),
      async (list, partBytes) => {
        const whole = Buffer.concat(list);
        for (const parts of [await read(pieces(list), partBytes), await read(whole, partBytes)]) {
          expect(Buffer.concat(parts.map((part) => part.bytes))).toEqual(whole);
          expect(parts.map((part) => part.last)).toEqual(parts.map((_, at) => at === parts.length - 1));
          for (const part of parts.slice(0, -1)) expect(part.bytes).toHaveLength(partBytes);
        }
      },
    ),
    { numRuns: 60 },
  );
});

it('stops at the first byte over the cap, without reading on', async () => {
  let asked = 0;
  async function* endless() {
    for (;;) {
      asked += 1;
      yield Buffer.alloc(10);
    }
  }
  await expect(read(endless(), 16, 95)).rejects.toMatchObject({
    code: 'OversizeResult',
    facts: { seenBytes: 100, maxBytes: 95 },
  });
  expect(asked).toBe(10);
  expect(await read(Buffer.alloc(95), 16, 95)).toHaveLength(6);
});

it('a source that fails is told apart from the store', async () => {
  async function* broken() {
    yield Buffer.alloc(10);
    throw new Error('gone');
  }
  await expect(read(broken(), 4)).rejects.toBeInstanceOf(BodySourceError);
});

it('buffers are used again once given back, and slices of somebody’s body are not taken', async () => {
  const buffers = new PartBuffers(8);
  const seen = new Set<ArrayBufferLike>();
  let whole = '';
  for await (const part of bodyParts(pieces([Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz')]), 8, 100, buffers)) {
    whole += Buffer.from(part.bytes).toString();
    seen.add(part.bytes.buffer);
    buffers.giveBack(part);
  }
  expect(whole).toBe('0123456789abcdefghijklmnopqrstuvwxyz');
  expect(seen.size).toBeLessThanOrEqual(2);
  const body = Buffer.from('0123456789abcdef');
  for await (const part of bodyParts(body, 8, 100, buffers)) buffers.giveBack(part);
  const next = buffers.take();
  next.fill(0);
  expect(body.toString()).toBe('0123456789abcdef');
});
