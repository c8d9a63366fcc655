import { HeadObjectCommand, type HeadObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { isConflict, isGoneUpload, isPreconditionFailed } from './s3-failure.ts';
import { type Uploaded, type UploadTarget, UploadUnconfirmed, upload } from './s3-upload.ts';

/** A write that met another one is started again at most twice (DESIGN 6). */
const maxRestarts = 2;

/**
 * One confirmed object: restarts after a conflict where the body can be sent again, and takes a refusal "exists
 * already" for the success that it is when what stands there is what was sent (a lost response).
 */
export async function createOnly(
  target: UploadTarget,
  body: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<Uploaded> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await upload(target, body);
    } catch (error) {
      if (!(error instanceof UploadUnconfirmed)) throw error;
      if (isPreconditionFailed(error.cause) || isGoneUpload(error.cause)) return await confirmed(target, error);
      if (!isConflict(error.cause) || restarts >= maxRestarts || !isRepeatable(body)) throw error.cause;
    }
  }
}

/** What is known of an object without reading it. */
export function headObject(client: S3Client, bucket: string, key: string): Promise<HeadObjectCommandOutput> {
  return client.send(new HeadObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: 'ENABLED' }));
}

async function confirmed(target: UploadTarget, unconfirmed: UploadUnconfirmed): Promise<Uploaded> {
  const head = await headObject(target.client, target.bucket, target.key);
  const { bytes, checksum } = unconfirmed.sent;
  const same =
    head.ContentLength === bytes &&
    JSON.stringify(Object.entries(head.Metadata ?? {}).sort()) ===
      JSON.stringify(Object.entries(target.metadata).sort()) &&
    (head.ChecksumSHA256 === undefined || head.ChecksumSHA256 === checksum);
  if (!same) throw unconfirmed.cause;
  return { etag: head.ETag ?? '', bytes, checksum };
}

/** A generator can be walked once; a list of pieces, or an object that makes a new walk each time, can be again. */
function isRepeatable(body: Uint8Array | AsyncIterable<Uint8Array>): boolean {
  return body instanceof Uint8Array || (body[Symbol.asyncIterator]() as unknown) !== body;
}
