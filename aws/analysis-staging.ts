import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Staging } from '../core/analysis/staging.ts';
import { isId } from '../core/reference/reference.ts';
import { headObject } from './s3-create-only.ts';
import { readFailure, storageTrouble } from './s3-failure.ts';
import { stagingKey } from './s3-keys.ts';
import { steady } from './s3-result-store.ts';

/** How long an engine may take to begin its upload, in seconds: fetching, program and chart come first. */
const urlSeconds = 120;

/**
 * Outputs of the engine in S3, before they are results. The signature covers key, content type and `If-None-Match: *`:
 * one object, created once. Its length is no part of it, since nobody knows it yet and S3 takes no upper bound for a
 * PUT; it is looked at afterwards. `signer` is a client that adds no checksum of its own (`uploadSigningClient`).
 */
export function analysisStaging(s3: S3Client, signer: S3Client, bucket: string): Staging {
  const read = async <T>(action: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (readFailure(error) === 'trouble') throw storageTrouble(action, error);
      return undefined;
    }
  };
  return {
    upload: async (place, contentType, maxBytes) => {
      if (!isId(place.id)) throw new Error('staging: expected an id of 32 lower-case hexadecimal digits');
      const headers = { 'content-type': contentType, 'if-none-match': '*' };
      const url = await getSignedUrl(
        signer,
        new PutObjectCommand({ Bucket: bucket, Key: stagingKey(place), ContentType: contentType, IfNoneMatch: '*' }),
        {
          expiresIn: urlSeconds,
          signableHeaders: new Set(['host', ...Object.keys(headers)]),
          unhoistableHeaders: new Set(Object.keys(headers)),
        },
      );
      return { url, headers, maxBytes };
    },
    look: async (place) => {
      const head = await read('looking at an upload', () => headObject(s3, bucket, stagingKey(place)));
      return head && { bytes: head.ContentLength ?? 0, etag: head.ETag ?? '' };
    },
    read: async (place, etag) => {
      const object = await read('reading an upload', () =>
        s3.send(new GetObjectCommand({ Bucket: bucket, Key: stagingKey(place), IfMatch: etag })),
      );
      return object && steady(object.Body as AsyncIterable<Uint8Array>);
    },
  };
}
