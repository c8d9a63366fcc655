import { createReadStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { lastKeys, pairedEscapes } from '../../core/analysis/last-keys.ts';

const flushCharacters = 1024 * 1024;

/**
 * Writes the records of an NDJSON file anew, as a table can take them: each with the
 * last value of every key, and without halves of surrogate pairs.
 */
export async function mendRecords(file: string): Promise<void> {
  const renewed = `${file}.new`;
  const target = await open(renewed, 'w');
  try {
    let pending = '';
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      pending += `${pairedEscapes(lastKeys(line))}\n`;
      if (pending.length < flushCharacters) continue;
      await target.write(pending);
      pending = '';
    }
    await target.write(pending);
  } finally {
    await target.close();
  }
  await rename(renewed, file);
}
