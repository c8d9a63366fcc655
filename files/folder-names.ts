import { readdir } from 'node:fs/promises';
import { isMissing } from './create-only.ts';

/** Names in a folder; none where it is not there. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
