import { References } from '../../../core/wrap/references.ts';
import { UploadPool } from '../../../core/wrap/upload-pool.ts';
import { FileCatalogue } from '../../../files/file-catalogue.ts';
import { FileResultStore } from '../../../files/file-result-store.ts';
import { newFolder } from './workspace.ts';

it('200 uploads: at most four on their way, all done, in order', async () => {
  const pool = new UploadPool({ parallel: 4, timeoutMs: 5_000 });
  let now = 0;
  let most = 0;
  const done: number[] = [];
  await Promise.all(
    Array.from({ length: 200 }, (_, id) =>
      pool.run(async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        done.push(id);
      }),
    ),
  );
  expect(most).toBe(4);
  expect(pool.most).toBe(4);
  expect(done).toHaveLength(200);
});

it('who waits too long is told so, and takes no place; one that hangs keeps its place until it ends', async () => {
  const pool = new UploadPool({ parallel: 1, timeoutMs: 40 });
  let free: () => void = () => {};
  const aborted: boolean[] = [];
  const hanging = pool.run(
    (signal) =>
      new Promise<void>((resolve) => {
        free = () => {
          aborted.push(signal.aborted);
          resolve();
        };
      }),
  );
  const waiting = pool.run(async () => 'never');
  await expect(hanging).rejects.toMatchObject({ code: 'StorageUnavailable' });
  await expect(waiting).rejects.toMatchObject({ code: 'StorageUnavailable' });
  free();
  await new Promise((resolve) => setImmediate(resolve));
  expect(aborted).toEqual([true]);
  expect(await pool.run(async () => 'next')).toBe('next');
});

it('parallel results of one process share the pool', async () => {
  const folder = newFolder();
  const references = new References({
    store: new FileResultStore(folder),
    catalogue: new FileCatalogue(folder),
    parallelUploads: 3,
  });
  const run = references.run({ owner: 'Ada', session: 's' });
  const kept = await Promise.all(
    Array.from({ length: 30 }, (_, id) =>
      // The same tool-use id every time: what is stored never collides.
      references.keep(
        { run, tool: 'rows', toolUseId: 'same', input: { id } },
        { kind: 'value', value: `${id} `.repeat(30_000) },
      ),
    ),
  );
  expect(references.pool.most).toBe(3);
  expect(new Set(kept.map((one) => one?.stored?.ref)).size).toBe(30);
});
