import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Staging } from '../core/analysis/staging.ts';
import { ClaimcheckError } from '../core/errors.ts';
import { isId } from '../core/reference/reference.ts';
import type { OutputUploader } from '../lambdas/analysis-engine/upload-output.ts';

const scheme = 'claimcheck-staging:';
/** Nobody reads an output any more that was left so long ago, in milliseconds. */
const oldMs = 15 * 60_000;

/** Where an engine in this process leaves what is larger than its answer, until it is a result: files in `folder`. */
export function folderStaging(folder: string): { readonly staging: Staging; readonly upload: OutputUploader } {
  const pathOf = (id: string): string => {
    if (!isId(id)) throw new Error('staging: expected an id of 32 lower-case hexadecimal digits');
    return join(folder, id);
  };
  const bytesOf = async (id: string): Promise<number | undefined> => {
    const found = await stat(pathOf(id)).catch(() => undefined);
    return found?.size;
  };
  return {
    staging: {
      upload: async ({ id }, _contentType, maxBytes) => {
        await forgetOld(folder);
        return { url: `${scheme}${id}`, headers: {}, maxBytes };
      },
      look: async ({ id }) => {
        const bytes = await bytesOf(id);
        // Created once and never changed: its size says enough of its version.
        return bytes === undefined ? undefined : { bytes, etag: String(bytes) };
      },
      read: async ({ id }, etag) => (String(await bytesOf(id)) === etag ? createReadStream(pathOf(id)) : undefined),
    },
    upload: async (name, output, upload) => {
      const inMemory = output instanceof Uint8Array;
      const bytes = inMemory ? output.length : output.bytes;
      if (bytes > upload.maxBytes) {
        throw new ClaimcheckError('AnalysisLimit', `${name}: ${bytes} bytes, at most ${upload.maxBytes} are kept`);
      }
      const source = inMemory
        ? Readable.from([output])
        : createReadStream(output.file, { end: Math.max(0, output.bytes - 1) });
      const path = pathOf(upload.url.slice(scheme.length));
      await pipeline(source, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      return { bytes, sha256: inMemory ? createHash('sha256').update(output).digest('hex') : output.sha256 };
    },
  };
}

async function forgetOld(folder: string): Promise<void> {
  const before = Date.now() - oldMs;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < before) await rm(path, { force: true });
  }
}
