import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

const prefix = 'analysis-';

/**
 * Runs `work` with an empty folder that is gone afterwards, whatever happens. A function that was frozen in the middle of
 * a job may find the folder of that one: it goes first.
 */
export async function withScratch<T>(root: string, work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(root, { recursive: true });
  for (const name of await readdir(root)) {
    if (name.startsWith(prefix)) await rm(path.join(root, name), { recursive: true, force: true });
  }
  const folder = await mkdtemp(path.join(root, prefix));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes what a first attempt left in the folder: the disk has room for one. */
export async function emptyScratch(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(path.join(folder, name), { recursive: true, force: true });
}
