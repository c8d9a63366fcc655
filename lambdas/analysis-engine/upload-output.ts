import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { EngineUpload, UploadedOutput } from '../../core/analysis/engine.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import type { SpooledFile } from './row-spool.ts';

/** Of one output, repetition included, in milliseconds. */
const uploadMs = 10_000;
const attempts = 2;

/** Leaves an output of an engine where it may be left. */
export type OutputUploader = typeof uploadOutput;

/**
 * Creates one object at the address that the broker signed, with its length and digest said beforehand, so that the
 * store takes all of it or nothing. Throws `StorageUnavailable` when that cannot be confirmed: an object that exists
 * already is one whose confirmation was lost, since nobody else has this address; the broker compares it.
 */
export async function uploadOutput(
  name: 'keep' | 'chart',
  output: SpooledFile | Uint8Array,
  upload: EngineUpload,
): Promise<UploadedOutput> {
  const bytes = output instanceof Uint8Array ? output.length : output.bytes;
  if (bytes > upload.maxBytes) {
    throw new ClaimcheckError('AnalysisLimit', `${name}: ${bytes} bytes, at most ${upload.maxBytes} are kept`);
  }
  const digest = (algorithm: 'sha256' | 'md5') => createHash(algorithm).update(output as Uint8Array);
  const [sha256, md5] =
    output instanceof Uint8Array
      ? [digest('sha256').digest('hex'), digest('md5').digest('base64')]
      : [output.sha256, output.md5];
  const headers = { ...upload.headers, 'content-length': String(bytes), 'content-md5': md5 };
  const signal = AbortSignal.timeout(uploadMs);
  for (let attempt = 1; ; attempt += 1) {
    const status = await put(upload.url, headers, output, signal).catch(() => null);
    if (status === 200 || (status === 412 && attempt > 1)) return { bytes, sha256 };
    const again = status === null || status >= 500 || status === 409;
    if (!again || attempt >= attempts || signal.aborted) {
      // What the store said may hold the address, which is a right to write.
      const what = status === null ? 'not reached' : `status ${status}`;
      throw new ClaimcheckError('StorageUnavailable', `${name}: it could not be uploaded right now (${what})`);
    }
  }
}

/** The status; no redirect is followed. */
async function put(
  url: string,
  headers: Readonly<Record<string, string>>,
  output: SpooledFile | Uint8Array,
  signal: AbortSignal,
): Promise<number> {
  const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, { method: 'PUT', headers, signal });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  // A refusal may come before everything was sent; then the answer counts, not the broken pipe.
  const sent =
    output instanceof Uint8Array
      ? Promise.resolve(request.end(output))
      : pipeline(createReadStream(output.file, { end: Math.max(0, output.bytes - 1) }), request);
  sent.catch(() => {});
  const response = await answered;
  response.resume();
  return response.statusCode ?? 0;
}
