import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { streamBytes } from '../../../core/wrap/stream-bytes.ts';

async function read(pieces: AsyncIterable<unknown> | Iterable<unknown>): Promise<Buffer[]> {
  const made: Buffer[] = [];
  // A piece is not needed once the next is asked for: copied, as a store does.
  for await (const piece of streamBytes(pieces)) made.push(Buffer.from(piece));
  return made;
}

it('bytes as they are, texts as UTF-8, anything else as a line, in the order they came', async () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.uint8Array({ maxLength: 200 }),
    fc.record({ id: fc.integer(), name: fc.string() }),
    fc.constantFrom('x'.repeat(70_000), '検'.repeat(30_000), Buffer.alloc(100_000, 7), null, 5),
  );
  const bytesOf = (one: unknown) => {
    if (one instanceof Uint8Array) return Buffer.from(one);
    return Buffer.from(typeof one === 'string' ? one : `${JSON.stringify(one)}\n`, 'utf8');
  };
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      expect(Buffer.concat(await read(pieces)).equals(Buffer.concat(pieces.map(bytesOf)))).toBe(true);
    }),
    { numRuns: 200 },
  );
  // A lone half of a pair has bytes of its own.
  expect([...Buffer.concat(await read(['x\ud800y']))]).toEqual([0x78, 0xed, 0xa0, 0x80, 0x79]);
});

it('many small pieces are handed on as few large ones', async () => {
  const rows = Array.from({ length: 50_000 }, (_, id) => ({ id, name: `customer ${id}` }));
  const made = await read(rows);
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  expect(Buffer.concat(made).toString()).toBe(text);
  // By size and, on a busy machine, by time as well.
  expect(made.length).toBeLessThan(text.length / 5_000);
});

it('what a slow stream has given is not held back', async () => {
  async function* slow() {
    for (let id = 0; id < 4; id += 1) {
      yield { id };
      await setTimeout(40);
    }
  }
  const pieces = streamBytes(slow());
  let seen = '';
  for (let id = 0; id < 3; id += 1) seen += Buffer.from((await pieces.next()).value as Uint8Array).toString();
  expect(seen).toContain('{"id":2}');
  await pieces.return(undefined);
});
