import { randomBytes } from 'node:crypto';
import { link, mkdir, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Others may sweep empty folders away while this one is made: then it is made again, so often at most. */
const attempts = 3;

/**
 * Writes a file whole or not at all, and never over one that is there. Answers whether it was made now. What is being
 * written stands beside it under a name that no reader looks for.
 */
export async function createOnly(path: string, content: string | Uint8Array): Promise<boolean> {
  const draft = draftOf(path);
  try {
    await writeDraft(draft, content);
    return await linkOnly(draft, path);
  } finally {
    await removeDraft(draft);
  }
}

export function draftOf(path: string): string {
  return `${path}.${randomBytes(8).toString('hex')}.draft`;
}

export function writeDraft(draft: string, content: string | Uint8Array): Promise<void> {
  return inFolder(dirname(draft), () => writeFile(draft, content, { mode: 0o600 }));
}

/** A hard link fails where a file stands: of two writers one wins, and nobody sees half a file. */
export async function linkOnly(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

export async function removeDraft(draft: string): Promise<void> {
  try {
    await unlink(draft);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** A folder that is new, nearly always in one that is there. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await inFolder(dirname(folder), () => mkdir(folder, { mode: 0o700 }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Nearly always the folder is there: it is made only where the work misses it. */
async function inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt > attempts || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await mkdir(folder, { recursive: true, mode: 0o700 });
    }
  }
}

export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
