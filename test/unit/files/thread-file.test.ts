import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClaimcheckError } from '../../../core/errors.ts';
import { ChunkDigests } from '../../../core/scan/chunk-digests.ts';
import {
  fileWord,
  memoryBytes,
  ringPlaces,
  slotBytes,
  slotCount,
  wordCount,
  writingWord,
} from '../../../files/digests/digest-memory.ts';
import { DigestRing } from '../../../files/digests/digest-ring.ts';
import { DigestThreads } from '../../../files/digests/digest-threads.ts';
import { ThreadDigests } from '../../../files/digests/thread-digests.ts';
import { ThreadWriter } from '../../../files/digests/thread-writer.ts';
import { writePieces } from '../../../files/write-pieces.ts';

const large = 2 * 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-thread-file-'));
const threads = new DigestThreads({ processors: 2 });
beforeAll(async () => {
  for (let time = 0; time < 2; time += 1) threads.digests(large);
  while (threads.thread?.ready !== true) await sleep(2);
});
afterAll(() => {
  threads.thread?.fail();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => expect(threads.thread?.idle).toBe(true));

let files = 0;
const newPath = () => join(folder, `file-${files++}`);
const taken = () => threads.digests(large) as ThreadDigests;
const body = (bytes: number, seed: number) =>
  Uint8Array.from({ length: bytes }, (_, at) => (at * 31 + (at >> 9) + seed) & 0xff);

/** Writes a body as the store does, from one buffer that is overwritten after each piece. */
function written(path: string, bytes: Uint8Array, cuts: readonly number[], digests = taken()) {
  const buffer = new Uint8Array(Math.max(...cuts));
  let given: Uint8Array | undefined;
  async function* pieces() {
    for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
      const part = bytes.subarray(at, at + (cuts[cut % cuts.length] as number));
      buffer.set(part);
      given = buffer.subarray(0, part.length);
      digests.write(given);
      yield given;
      buffer.fill(0xee);
      at += part.length;
    }
  }
  const limits = {
    maxBytes: 2 ** 40,
    durable: false,
    digests: (piece: Uint8Array) => (piece === given ? digests : undefined),
  };
  return writePieces(path, pieces(), limits);
}

function expected(bytes: Uint8Array) {
  const here = new ChunkDigests();
  here.write(bytes);
  return here.end();
}

it('the file is the body, however it is cut, and the digests are the same', async () => {
  const bytes = body(large + 12_345, 1);
  for (const cuts of [[65_536], [65_536, 1], [1, 65_535], [300_000], [70_000, 3, 200_000], [large * 2], [9_999]]) {
    for (const size of [1, 65_535, 65_536, 65_537, 655_360, bytes.length]) {
      const [path, digests] = [newPath(), taken()];
      expect(await written(path, bytes.subarray(0, size), cuts, digests)).toBe(size);
      expect(Buffer.compare(readFileSync(path), bytes.subarray(0, size))).toBe(0);
      expect(digests.end()).toEqual(expected(bytes.subarray(0, size)));
    }
  }
});

it('several bodies at once, each in its own file', async () => {
  const bodies = [3, 4, 5, 6].map((seed) => body(large + seed * 10_007, seed));
  const on = bodies.map(() => taken());
  const paths = bodies.map(newPath);
  await Promise.all(bodies.map((bytes, at) => written(paths[at] as string, bytes, [65_536, 20_000], on[at])));
  for (const [at, bytes] of bodies.entries()) expect(Buffer.compare(readFileSync(paths[at] as string), bytes)).toBe(0);
  for (const digests of on) digests.drop();
});

it('nothing of a body that was given up reaches a file that has its number, or the file of who has its ring', async () => {
  const left = body(slotCount * slotBytes, 7);
  const bytes = body(400_000, 8);
  for (let time = 0; time < 150; time += 1) {
    const digests = taken();
    const path = newPath();
    const descriptor = openSync(path, 'w');
    digests.write(left.subarray(0, 1));
    const file = digests.writeTo({ fd: descriptor } as FileHandle, 1);
    digests.write(left.subarray(1, 1 + ((time * 37_123) % left.length)));
    if (time % 2 === 0) digests.drop();
    while (file?.release() === false);
    closeSync(descriptor);
    const size = statSync(path).size;
    const number = openSync(newPath(), 'w+');
    expect(number).toBe(descriptor);
    digests.drop();
    const next = newPath();
    const others = taken();
    await written(next, bytes, [65_536], others);
    expect(Buffer.compare(readFileSync(next), bytes)).toBe(0);
    expect(others.end()).toEqual(expected(bytes));
    expect([statSync(path).size, readFileSync(number).length]).toEqual([size, 0]);
    closeSync(number);
  }
});

it('a full disk is trouble of the store: said at the end at the latest, and the digests are none the worse', async () => {
  const file = await open('/dev/full', 'w');
  const digests = taken();
  const bytes = body(large, 9);
  digests.write(bytes.subarray(0, 0));
  const writer = new ThreadWriter(file, digests, digests.writeTo(file, 0) as never, () => true);
  await writer.write(bytes.subarray(0, 0));
  digests.write(bytes);
  await expect(writer.end(undefined)).rejects.toMatchObject({ code: 'StorageUnavailable', message: 'storage: ENOSPC' });
  expect(() => writer.write(bytes)).toThrow('storage: ENOSPC');
  await writer.close();
  expect(digests.end()).toEqual(expected(bytes));
  // What went wrong with one file is not said of the next.
  const [path, next] = [newPath(), taken()];
  await written(path, bytes, [65_536], next);
  expect(Buffer.compare(readFileSync(path), bytes)).toBe(0);
  next.drop();
});

it('bytes that somebody between has changed are written as they come, or not at all', async () => {
  const bytes = body(large, 10);
  const through = async (change: (piece: Uint8Array, index: number) => Uint8Array) => {
    const [path, digests] = [newPath(), taken()];
    let given: Uint8Array | undefined;
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += 65_536) {
        given = bytes.subarray(at, at + 65_536);
        digests.write(given);
        yield change(given, at / 65_536);
      }
    }
    const limits = {
      maxBytes: large,
      durable: false,
      digests: (piece: Uint8Array) => (piece === given ? digests : undefined),
    };
    try {
      await writePieces(path, pieces(), limits);
      return readFileSync(path);
    } finally {
      digests.drop();
    }
  };
  const negative = (piece: Uint8Array) => piece.map((byte) => byte ^ 0xff);
  expect(Buffer.compare(await through(negative), negative(bytes))).toBe(0);
  await expect(through((piece, index) => (index === 5 ? negative(piece) : piece))).rejects.toThrow(
    'not what was scanned',
  );
});

describe('whoever stands between', () => {
  const bytes = body(large, 13);

  /** What is stored of it when `between` has had its pieces: 64 KiB each, in one buffer. */
  async function passed(between: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) {
    const [path, digests] = [newPath(), taken()];
    const buffer = new Uint8Array(65_536);
    let given: Uint8Array | undefined;
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += buffer.length) {
        buffer.set(bytes.subarray(at, at + buffer.length));
        digests.write(buffer);
        given = buffer;
        yield buffer;
      }
    }
    const limits = {
      maxBytes: 2 * large,
      durable: false,
      digests: (piece: Uint8Array) => (piece === given ? digests : undefined),
    };
    try {
      await writePieces(path, between(pieces()), limits);
      return readFileSync(path);
    } finally {
      digests.drop();
    }
  }

  const changing = (from: number) =>
    async function* (pieces: AsyncIterable<Uint8Array>) {
      let index = 0;
      for await (const piece of pieces) {
        if (index >= from) piece.set(piece.map((byte) => byte ^ 0xff));
        index += 1;
        yield piece;
      }
    };

  it('and changes pieces where they lie: what is stored is what came of them, or nothing', async () => {
    expect(
      Buffer.compare(
        await passed(changing(0)),
        bytes.map((byte) => byte ^ 0xff),
      ),
    ).toBe(0);
    for (const from of [1, 2, 31]) await expect(passed(changing(from))).rejects.toThrow('not what was scanned');
  });

  it('and leaves pieces out, or yields them twice, or one for another: nothing is stored', async () => {
    const counted = (copies: readonly number[]) =>
      async function* (pieces: AsyncIterable<Uint8Array>) {
        let index = 0;
        for await (const piece of pieces) {
          for (let copy = copies[index] ?? 1; copy > 0; copy -= 1) yield piece;
          index += 1;
        }
      };
    const last = bytes.length / 65_536 - 1;
    const leftOut = (index: number) => [...Array.from({ length: index }, () => 1), 0];
    for (const copies of [[1, 0], [1, 2], [1, 2, 0], [2, 0], leftOut(last), leftOut(last - 1)]) {
      await expect(passed(counted(copies))).rejects.toMatchObject({
        code: 'StorageUnavailable',
        message: 'storage: the body is not what was scanned',
      });
    }
    expect(Buffer.compare(await passed(counted([])), bytes)).toBe(0);
    // Without its first piece it is written as it comes: whoever compares sees that it is shorter.
    expect(Buffer.compare(await passed(counted([0])), bytes.subarray(65_536))).toBe(0);
  });
});

it('a close that fails is trouble of the store, whatever it was that went wrong before', async () => {
  for (const fails of [false, true]) {
    const path = newPath();
    const closing = writePieces(
      path,
      bodyOf(body(1_000, 14)),
      { maxBytes: large, durable: false },
      // Somebody else closes the file.
      async () => {
        for (const number of readdirSync('/proc/self/fd')) {
          if (linkOf(number) === path) closeSync(Number(number));
        }
        if (fails) throw new ClaimcheckError('StorageUnavailable', 'storage: beside');
      },
    );
    await expect(closing).rejects.toMatchObject({ code: 'StorageUnavailable' });
  }
});

async function* bodyOf(bytes: Uint8Array) {
  yield bytes;
}

function linkOf(number: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${number}`);
  } catch {
    return undefined;
  }
}

it('digests that are dropped, or of a thread that has ended, end the writing as well', async () => {
  for (const end of [(digests: ThreadDigests) => digests.drop(), () => threads.thread?.fail()]) {
    while (threads.thread?.ready !== true) {
      threads.digests(large);
      await sleep(2);
    }
    const digests = taken();
    const path = newPath();
    const bytes = body(large, 11);
    let given: Uint8Array | undefined;
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += 65_536) {
        if (at === 65_536 * 9) end(digests);
        given = bytes.subarray(at, at + 65_536);
        digests.write(given);
        yield given;
      }
    }
    const limits = {
      maxBytes: large,
      durable: false,
      digests: (piece: Uint8Array) => (piece === given ? digests : undefined),
    };
    await expect(writePieces(path, pieces(), limits)).rejects.toMatchObject({ code: 'StorageUnavailable' });
    digests.drop();
  }
  while (threads.thread?.ready !== true) {
    threads.digests(large);
    await sleep(2);
  }
});

describe('a write that hangs', () => {
  /** A ring of a thread that does nothing, and the word that says which file it is writing. */
  function hanging() {
    const memory = new SharedArrayBuffer(memoryBytes);
    const place = ringPlaces[0] as (typeof ringPlaces)[0];
    const thread = { failed: false, ended: false, bodies: 1, fail: () => {}, give: () => {} };
    const digests = new ThreadDigests(thread, new DigestRing(memory, place), 20);
    const words = new Int32Array(memory, 0, wordCount);
    const writing = (mark: number) => Atomics.store(words, place.words + writingWord, mark);
    return { digests, thread, writing };
  }
  async function writerOf(digests: ThreadDigests): Promise<{ file: FileHandle; writer: ThreadWriter }> {
    const file = await open(newPath(), 'w');
    return { file, writer: new ThreadWriter(file, digests, digests.writeTo(file, 0) as never, () => true) };
  }

  it('is as much a reason to wait for the bodies of other rings, as long as its file is wanted', () => {
    const memory = new SharedArrayBuffer(memoryBytes);
    const words = new Int32Array(memory, 0, wordCount);
    const other = ringPlaces[3] as (typeof ringPlaces)[0];
    for (const wanted of [false, true]) {
      let waits = 0;
      const thread = { failed: false, ended: false, bodies: 1, fail: () => {}, give: () => {} };
      thread.fail = () => {
        thread.failed = true;
      };
      const digests = new ThreadDigests(thread, new DigestRing(memory, ringPlaces[0] as typeof other), 100);
      Atomics.store(words, other.words + writingWord, 24);
      Atomics.store(words, other.words + fileWord, wanted ? 24 : 0);
      digests.write(body(1_000, 15));
      for (; !digests.finish(10); waits += 1);
      expect(thread.failed).toBe(true);
      expect(waits).toBeGreaterThanOrEqual(wanted ? 40 : 9);
      expect(waits).toBeLessThanOrEqual(wanted ? 60 : 15);
      Atomics.store(words, ringPlaces[0]?.words as number, 0);
    }
  });

  it('the file is not closed before it has ended, and whoever waits is not kept', async () => {
    for (const how of ['written', 'ended'] as const) {
      const { digests, thread, writing } = hanging();
      const { file, writer } = await writerOf(digests);
      const { fd } = file;
      writing(fd + 1);
      await writer.close();
      await sleep(700);
      expect(file.fd).toBe(fd);
      if (how === 'written') writing(0);
      else thread.ended = true;
      await sleep(700);
      expect(file.fd).toBe(-1);
    }
  });

  it('is waited for longer than a thread that does nothing, but not for ever; an upload in time ends before', async () => {
    const { digests, thread, writing } = hanging();
    const { file, writer } = await writerOf(digests);
    let failed = 0;
    thread.fail = () => {
      failed += 1;
      thread.failed = true;
    };
    writing(file.fd + 1);
    digests.write(body(1_000, 12));
    const timeout = new AbortController();
    setTimeout(() => timeout.abort(), 30);
    await expect(writer.end(timeout.signal)).rejects.toThrow('it took too long');
    expect(failed).toBe(0);
    await expect(writer.end(undefined)).rejects.toThrow('the thread that writes it has stopped');
    expect(failed).toBe(1);
    thread.ended = true;
    await writer.close();
  });
});
