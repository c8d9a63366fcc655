import fc from 'fast-check';
import { CheckedPieces } from '../../../core/scan/checked-pieces.ts';
import { ChunkDigests } from '../../../core/scan/chunk-digests.ts';
import { chunkOf, chunkStart } from '../../../core/scan/chunk-schedule.ts';

const chunk = chunkStart(1);
/** No two chunks alike. */
const body = Buffer.from(Uint8Array.from({ length: 5 * chunk + 1_000 }, (_, n) => (n * 31 + (n >> 8) * 7) % 251));

function digestsOf(bytes: Uint8Array): Uint8Array {
  const digests = new ChunkDigests();
  digests.write(bytes);
  return digests.end().digests;
}

/** What is handed on of `arrived`, cut into pieces at these offsets, where `wanted` was asked for. */
function handedOn(arrived: Uint8Array, wanted: Uint8Array, cuts: readonly number[], digests = digestsOf(wanted)) {
  const taken: Uint8Array[] = [];
  const check = new CheckedPieces(wanted.length, digests, (piece) => taken.push(piece));
  const at = [0, ...cuts.filter((cut) => cut < arrived.length).sort((a, b) => a - b), arrived.length];
  const written = at.slice(1).every((end, n) => check.write(arrived.subarray(at[n], end)));
  return { bytes: Buffer.concat(taken), right: written && check.end() };
}

const cuts = fc.array(fc.nat(body.length), { maxLength: 40 });
const lengths = fc.oneof(
  fc.nat(body.length),
  fc.constantFrom(0, 1, chunk - 1, chunk, chunk + 1, 5 * chunk, body.length),
);

test('the right body is handed on whole and in order, however it is cut', () => {
  fc.assert(
    fc.property(lengths, cuts, (length, at) => {
      const wanted = body.subarray(0, length);
      const { bytes, right } = handedOn(wanted, wanted, at);
      expect(right).toBe(true);
      expect(bytes.equals(wanted)).toBe(true);
    }),
  );
});

test('of a body with one other byte, no byte of its chunk or behind it', () => {
  fc.assert(
    fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), cuts, (where, change, at) => {
      const altered = Buffer.from(body);
      altered[where] = (body[where] as number) ^ change;
      const { bytes, right } = handedOn(altered, body, at);
      expect(right).toBe(false);
      expect(bytes.length).toBeLessThanOrEqual(chunkStart(chunkOf(where)));
      expect(bytes.equals(body.subarray(0, bytes.length))).toBe(true);
    }),
  );
});

test('of a body that is shorter or longer, right bytes at most', () => {
  fc.assert(
    fc.property(fc.nat(body.length), lengths, cuts, (one, other, at) => {
      fc.pre(one !== other);
      const { bytes, right } = handedOn(body.subarray(0, one), body.subarray(0, other), at);
      expect(right).toBe(false);
      // A chunk that was cut is never handed on.
      const whole = one > other ? other : one === body.length ? one : chunkStart(chunkOf(one));
      expect(bytes.length).toBeLessThanOrEqual(whole);
      expect(bytes.equals(body.subarray(0, bytes.length))).toBe(true);
    }),
  );
});

test.each([
  ['none', new Uint8Array(0), 0],
  ['one less', digestsOf(body).subarray(32), 0],
  ['the last one missing', digestsOf(body).subarray(0, -32), 5 * chunk],
  ['the last one short', digestsOf(body).subarray(0, -1), 5 * chunk],
  ['one more', Buffer.concat([digestsOf(body), new Uint8Array(32)]), body.length],
])('digests that are not those of the body: %s', (_, digests, most) => {
  const { bytes, right } = handedOn(body, body, [chunk, 2 * chunk, 3 * chunk, 4 * chunk, 5 * chunk], digests);
  expect(right).toBe(false);
  expect(bytes.length).toBeLessThanOrEqual(most);
});

test('chunks that have doubled are checked by the same schedule', () => {
  const pieceBytes = 1024 * 1024;
  const piece = Buffer.alloc(pieceBytes, 7);
  // 256 MiB of small chunks, and some of the next size.
  const pieces = chunkStart(4096 + 8) / pieceBytes;
  const digests = new ChunkDigests();
  for (let n = 0; n < pieces; n += 1) digests.write(piece);
  let taken = 0;
  const check = new CheckedPieces(pieces * pieceBytes, digests.end().digests, ({ length }) => {
    taken += length;
  });
  for (let n = 0; n < pieces - 1; n += 1) expect(check.write(piece)).toBe(true);
  const altered = Buffer.from(piece);
  altered[pieceBytes - 1] = 8;
  expect(check.write(altered)).toBe(false);
  expect(taken).toBe((pieces - 1) * pieceBytes);
});
