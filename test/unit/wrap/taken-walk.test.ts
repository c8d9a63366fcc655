import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ResultScanner } from '../../../core/scan/result-scanner.ts';
import { ScannedWalk } from '../../../core/wrap/scanned-walk.ts';
import { streamBytes } from '../../../core/wrap/stream-bytes.ts';

const lines = Buffer.from(Array.from({ length: 40_000 }, (_, line) => `line ${line}\n`).join(''));

/** The second chunk is wider than a piece: its pieces are made in the buffer of the one that the upload waits for. */
async function* slow() {
  yield lines.subarray(0, 65_536);
  await sleep(50);
  yield lines.subarray(65_536);
}

it('a walk that is taken while its upload waits for a piece counts every byte once', async () => {
  const scanner = new ResultScanner({ previewBytes: 1_000 });
  const walk = new ScannedWalk(streamBytes(slow()), scanner, { maxBytes: 2 ** 30 });
  const upload = walk.pieces();
  await upload.next();
  const waited = expect(upload.next()).rejects.toThrow('the upload was given up');
  await sleep(10);
  await walk.drain(Date.now() + 5_000);
  await waited;
  const { records, bytes, sha256 } = scanner.end();
  expect({ records, bytes }).toEqual({ records: 40_000, bytes: lines.length });
  expect(sha256).toBe(createHash('sha256').update(lines).digest('hex'));
});

it('an upload that asks for more when the walk was taken from it gets nothing, and nothing is lost to the count', async () => {
  const scanner = new ResultScanner({ previewBytes: 1_000 });
  const walk = new ScannedWalk(streamBytes(slow()), scanner, { maxBytes: 2 ** 30 });
  const upload = walk.pieces();
  await upload.next();
  const drained = walk.drain(Date.now() + 5_000);
  await sleep(10);
  await expect(upload.next()).rejects.toThrow('the upload was given up');
  await drained;
  expect(scanner.end().sha256).toBe(createHash('sha256').update(lines).digest('hex'));
});

it('a walk whose upload waits for a piece that never comes is given up in time', async () => {
  async function* hanging() {
    yield lines.subarray(0, 65_536);
    await new Promise(() => {});
  }
  const walk = new ScannedWalk(streamBytes(hanging()), new ResultScanner({ previewBytes: 1_000 }), {
    maxBytes: 2 ** 30,
  });
  const upload = walk.pieces();
  await upload.next();
  upload.next().catch(() => {});
  const before = performance.now();
  await walk.drain(Date.now() + 200);
  expect(performance.now() - before).toBeLessThan(1_000);
  expect({ ended: walk.ended, bytes: walk.bytes }).toEqual({ ended: false, bytes: 65_536 });
});
