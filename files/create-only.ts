import { randomBytes } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file whole or not at all, and never over one that is there. Answers whether it was made now. What is being
 * written stands beside it under a name that no reader looks for.
 */
export async function createOnly(path: string, content: string | Uint8Array): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = draftOf(path);
  try {
    await writeFile(draft, content, { mode: 0o600 });
    return await linkOnly(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

export function draftOf(path: string): string {
  return `${path}.${randomBytes(8).toString('hex')}.draft`;
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

export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
