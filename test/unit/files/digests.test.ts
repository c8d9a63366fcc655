import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { BodyDigests } from '../../../core/scan/body-digests.ts';
import { ChunkDigests } from '../../../core/scan/chunk-digests.ts';
import { chunkStart } from '../../../core/scan/chunk-schedule.ts';
import { memoryBytes, ringCount, ringPlaces, slotBytes, slotFlags } from '../../../files/digests/digest-memory.ts';
import { DigestRing } from '../../../files/digests/digest-ring.ts';
import { DigestThread } from '../../../files/digests/digest-thread.ts';
import { DigestThreads, type DigestThreadsOptions } from '../../../files/digests/digest-threads.ts';
import { ThreadDigests } from '../../../files/digests/thread-digests.ts';

const large = 2 * 1024 * 1024;
const all: DigestThreads[] = [];
afterAll(() => {
  for (const threads of all) threads.thread?.fail();
});

/** Threads of a process of two processors, the thread ready. */
async function ready(options: DigestThreadsOptions = {}): Promise<DigestThreads> {
  const threads = started(options);
  while (threads.thread?.ready !== true) await sleep(2);
  return threads;
}

function started(options: DigestThreadsOptions = {}): DigestThreads {
  const threads = new DigestThreads({ processors: 2, ...options });
  all.push(threads);
  for (let time = 0; time < 2; time += 1) expect(threads.digests(large)).toBeUndefined();
  return threads;
}

function taken(threads: DigestThreads): BodyDigests {
  const digests = threads.digests(large);
  expect(digests).toBeInstanceOf(ThreadDigests);
  return digests as BodyDigests;
}

/** Bytes of no period that a slot or chunk could hide. */
function body(bytes: number, seed: number): Uint8Array {
  const made = new Uint8Array(bytes);
  let state = seed | 1;
  for (let at = 0; at < bytes; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    made[at] = state >>> 24;
  }
  return made;
}

/** Feeds pieces from one buffer that is overwritten after each, as a source does. */
function feed(digests: BodyDigests, bytes: Uint8Array, cuts: readonly number[]): void {
  const buffer = new Uint8Array(Math.max(1, ...cuts));
  for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
    const piece = bytes.subarray(at, at + (cuts[cut % cuts.length] as number));
    buffer.set(piece);
    digests.write(buffer.subarray(0, piece.length));
    buffer.fill(0xee);
    at += piece.length;
  }
}

function expected(bytes: Uint8Array): { readonly sha256: string; readonly digests: Uint8Array } {
  const here = new ChunkDigests();
  here.write(bytes);
  return here.end();
}

describe('the same digests as here', () => {
  it('for every size around the borders of chunks, and for nothing', async () => {
    const threads = await ready();
    const bytes = body(chunkStart(18) + 3, 1);
    const sizes = [
      0,
      1,
      ...[1, 2, 7, 8, 9, 16, 17, 18].flatMap((chunk) => [-1, 0, 1].map((by) => chunkStart(chunk) + by)),
    ];
    for (const size of sizes) {
      const digests = taken(threads);
      feed(digests, bytes.subarray(0, size), [192 * 1024]);
      expect(digests.end()).toEqual(expected(bytes.subarray(0, size)));
    }
  });

  it('however the body is cut, with and without looks for room in between', async () => {
    const threads = await ready();
    const bytes = body(3 * large, 7);
    const cut = fc.oneof(fc.integer({ min: 1, max: 300_000 }), fc.constantFrom(65_535, 65_536, 65_537, 131_072));
    fc.assert(
      fc.property(
        fc.array(cut, { minLength: 1, maxLength: 12 }),
        fc.nat(bytes.length),
        fc.boolean(),
        (cuts, size, polite) => {
          const digests = taken(threads);
          const written = polite
            ? {
                write: (piece: Uint8Array) => {
                  while (digests.room?.(piece.length, 1) === false);
                  digests.write(piece);
                },
              }
            : digests;
          feed(
            written as BodyDigests,
            bytes.subarray(0, size),
            cuts.map((one) => Math.max(one, size >> 9)),
          );
          if (polite) while (digests.finish?.(1) === false);
          expect(digests.end()).toEqual(expected(bytes.subarray(0, size)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('where chunks become wider than a slot', async () => {
    const threads = await ready();
    const piece = body(1024 * 1024 + 4096, 11);
    for (const beyond of [-5, 65_536, 3 * 131_072, 3 * 131_072 + 70_000]) {
      const here = new ChunkDigests();
      const there = taken(threads);
      for (let left = chunkStart(4096) + beyond; left > 0; left -= piece.length) {
        const part = piece.subarray(0, left);
        here.write(part);
        there.write(part);
      }
      expect(there.end()).toEqual(here.end());
    }
  });

  it('of bodies that come in turns, one for each ring; the next is made here', async () => {
    const threads = await ready();
    for (let round = 0; round < 3; round += 1) {
      const bodies = Array.from({ length: ringCount }, (_, at) => body(large + at * 70_001, round * 10 + at + 1));
      const made = bodies.map(() => taken(threads));
      expect(threads.digests(large)).toBeUndefined();
      for (let at = 0; at < large + 300_000; at += 50_000) {
        bodies.forEach((bytes, which) => {
          made[which]?.write(bytes.slice(at, at + 50_000));
        });
      }
      bodies.forEach((bytes, which) => {
        expect(made[which]?.end()).toEqual(expected(bytes));
      });
    }
  });
});

describe('a ring comes back', () => {
  it('from bodies given up half way, whose bytes are in no digest of the next', async () => {
    const threads = await ready();
    const bytes = body(large + 12_345, 3);
    for (let time = 0; time < 20; time += 1) {
      const left = taken(threads);
      left.write(bytes.subarray(0, time * 33_333));
      left.drop?.();
      left.drop?.();
      left.write(bytes);
      expect(() => left.end()).toThrow('digests');
      const digests = taken(threads);
      feed(digests, bytes, [100_000]);
      expect(digests.end()).toEqual(expected(bytes));
      digests.drop?.();
      expect(threads.thread?.idle).toBe(true);
    }
  });
});

it('a ring goes to nobody else while the thread has anything of its last body left to do, which it is made to do', async () => {
  const thread = new DigestThread(() => {});
  const left = thread.take() as DigestRing;
  left.hand(slotBytes, slotFlags.beginsBody);
  thread.give(left);
  const others = Array.from({ length: ringCount }, () => thread.take());
  expect(thread.started).toBe(false);
  expect(others.map((ring) => ring !== undefined && ring !== left)).toEqual([true, true, true, false]);
  expect(thread.bodies).toBe(ringCount - 1);
  // Taken when the thread is through with it. Then one slot, for which nobody rang, until it is given back.
  for (let time = 0; time < 2; time += 1) {
    const ring = await until(() => thread.take());
    expect(ring).toBe(left);
    await sleep(50);
    left.hand(slotBytes, slotFlags.beginsBody);
    await sleep(20);
    expect(left.waiting).toBe(1);
    thread.give(left);
  }
  thread.fail();
});

async function until<T>(made: () => T | undefined): Promise<T> {
  for (const before = performance.now(); performance.now() - before < 5_000; await sleep(2)) {
    const one = made();
    if (one !== undefined) return one;
  }
  throw new Error('not within 5 s');
}

it('however many bodies wait for a thread that does not move, others have their turn as soon as with one', async () => {
  const memory = new SharedArrayBuffer(memoryBytes);
  const dead = { failed: false, ended: false, bodies: ringCount, fail: () => {}, give: () => {} };
  const waiting = ringPlaces.map((place) => new ThreadDigests(dead, new DigestRing(memory, place), 60_000));
  let over = false;
  const waits = waiting.map(async (digests) => {
    digests.write(new Uint8Array(900_000));
    while (!over && !digests.room(200_000, 5)) await breathe();
    while (!over && !digests.finish(5)) await breathe();
  });
  const turns: number[] = [];
  while (turns.length < 41) {
    const before = performance.now();
    await breathe();
    turns.push(performance.now() - before);
  }
  over = true;
  await Promise.all(waits);
  const median = turns.sort((one, other) => one - other)[20] as number;
  expect(median).toBeGreaterThan(1);
  expect(median).toBeLessThan(12);
});

describe('trouble is an error, never another digest', () => {
  it('a thread that does not move, by itself and for all that look for room', () => {
    const memory = new SharedArrayBuffer(memoryBytes);
    const given: DigestRing[] = [];
    const dead = {
      failed: false,
      ended: false,
      bodies: 1,
      fail() {
        this.failed = true;
      },
      give: (ring: DigestRing) => given.push(ring),
    };
    const ring = new DigestRing(memory, ringPlaces[1] as (typeof ringPlaces)[0]);
    const digests = new ThreadDigests(dead, ring, 200);
    const bytes = body(large, 5);
    digests.write(bytes.subarray(0, 300_000));
    const before = performance.now();
    expect(digests.room(200_000, 5)).toBe(true);
    digests.write(bytes.subarray(300_000, 330_000));
    expect(digests.room(750_000, 5)).toBe(false);
    expect(performance.now() - before).toBeLessThan(150);
    expect(dead.failed).toBe(false);
    digests.write(bytes);
    expect(dead.failed).toBe(true);
    expect(digests.room(200_000, 5)).toBe(true);
    digests.write(bytes);
    expect(() => digests.end()).toThrow(expect.objectContaining({ code: 'StorageUnavailable', retryable: true }));
    expect(given).toEqual([ring]);
  });

  it('a thread that ended while bodies were on it; the next bodies get another', async () => {
    const threads = await ready();
    const bytes = body(large, 9);
    const [one, other] = [taken(threads), taken(threads)];
    one.write(bytes);
    other.write(bytes.subarray(0, 10));
    threads.thread?.fail();
    other.write(bytes.subarray(10));
    for (const digests of [one, other]) {
      expect(() => digests.end()).toThrow(expect.objectContaining({ code: 'StorageUnavailable' }));
    }
    expect(threads.digests(large)).toBeUndefined();
    while (threads.thread?.ready !== true) await sleep(2);
    const digests = taken(threads);
    digests.write(bytes);
    expect(digests.end()).toEqual(expected(bytes));
  });
});

describe('when there is a thread', () => {
  it('not for one processor, small bodies, or one large body alone', () => {
    const one = new DigestThreads({ processors: 1 });
    const small = new DigestThreads({ processors: 8 });
    const rare = new DigestThreads({ processors: 8, idleMs: 0 });
    for (let time = 0; time < 5; time += 1) {
      expect(one.digests(large)).toBeUndefined();
      expect(small.digests(1024 * 1024 - 1)).toBeUndefined();
      expect(rare.digests(large)).toBeUndefined();
    }
    const first = new DigestThreads({ processors: 8 });
    expect(first.digests(large)).toBeUndefined();
    for (const threads of [one, small, rare, first]) expect(threads.thread).toBeUndefined();
  });

  it('it ends when there was no large body for a time, not under one that takes longer, and starts again', async () => {
    const threads = await ready({ idleMs: 400 });
    const { thread } = threads;
    const digests = taken(threads);
    digests.write(body(100, 1));
    await sleep(800);
    expect(threads.thread).toBe(thread);
    expect(digests.end()).toEqual(expected(body(100, 1)));
    await sleep(800);
    expect(threads.thread).toBeUndefined();
    expect(thread?.failed).toBe(true);
    expect(threads.digests(large)).toBeUndefined();
    expect(threads.digests(large)).toBeUndefined();
    expect(threads.thread).toBeDefined();
  });
});
