import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { type BodyPart, bodyParts, PartBuffers } from '../core/store/part-reader.ts';

const MiB = 1024 * 1024;
/** S3 takes at most 10,000 parts. */
const maxParts = 9_500;
/** Parts on their way at once: with the one being filled, four part buffers are the memory of an upload. */
const parallelParts = 3;

export interface UploadTarget {
  readonly client: S3Client;
  readonly bucket: string;
  readonly key: string;
  readonly metadata: Record<string, string>;
  readonly contentType: string;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface Uploaded {
  readonly etag: string;
  readonly bytes: number;
  /** As S3 reports it: base64 of the SHA-256, or for a multipart object of its parts' digests with `-<parts>`. */
  readonly checksum: string;
}

/** The upload was refused or its answer was lost after every byte was sent: what should stand there is known. */
export class UploadUnconfirmed extends Error {
  override readonly name = 'UploadUnconfirmed';
  readonly sent: Omit<Uploaded, 'etag'>;
  constructor(sent: Omit<Uploaded, 'etag'>, cause: unknown) {
    super('upload: sent, but not confirmed', { cause });
    this.sent = sent;
  }
}

/**
 * One create-only, checksummed upload in bounded memory: a single put up to one part, a multipart upload above. On any
 * failure the multipart upload is aborted, so that no part stays behind (case H061).
 */
export async function upload(target: UploadTarget, body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Uploaded> {
  const partBytes = Math.max(8 * MiB, Math.ceil(target.maxBytes / maxParts));
  const buffers = new PartBuffers(partBytes);
  const parts = bodyParts(body, partBytes, target.maxBytes, buffers);
  const first = (await parts.next()).value as BodyPart;
  return first.last ? putSingle(target, first) : putParts(target, first, parts, buffers);
}

async function putSingle(target: UploadTarget, part: BodyPart): Promise<Uploaded> {
  const sent = { bytes: part.bytes.length, checksum: part.sha256 };
  try {
    const { ETag: etag } = await target.client.send(
      new PutObjectCommand({
        Bucket: target.bucket,
        Key: target.key,
        Body: part.bytes,
        ContentLength: part.bytes.length,
        ContentType: target.contentType,
        Metadata: target.metadata,
        ChecksumSHA256: part.sha256,
        IfNoneMatch: '*',
      }),
      options(target),
    );
    return { ...sent, etag: etag ?? '' };
  } catch (error) {
    throw new UploadUnconfirmed(sent, error);
  }
}

async function putParts(
  target: UploadTarget,
  first: BodyPart,
  rest: AsyncGenerator<BodyPart>,
  buffers: PartBuffers,
): Promise<Uploaded> {
  const { client, bucket, key } = target;
  const { UploadId: uploadId } = await client.send(
    new CreateMultipartUploadCommand({
      Bucket: bucket,
      Key: key,
      ContentType: target.contentType,
      Metadata: target.metadata,
      ChecksumAlgorithm: 'SHA256',
    }),
    options(target),
  );
  try {
    const { parts, bytes } = await sendParts(target, uploadId, first, rest, buffers);
    const digests = Buffer.concat(parts.map((part) => Buffer.from(part.ChecksumSHA256 ?? '', 'base64')));
    const checksum = `${createHash('sha256').update(digests).digest('base64')}-${parts.length}`;
    try {
      const { ETag: etag } = await client.send(
        new CompleteMultipartUploadCommand({
          Bucket: bucket,
          Key: key,
          UploadId: uploadId,
          MultipartUpload: { Parts: parts },
          IfNoneMatch: '*',
        }),
        options(target),
      );
      return { etag: etag ?? '', bytes, checksum };
    } catch (error) {
      throw new UploadUnconfirmed({ bytes, checksum }, error);
    }
  } catch (error) {
    // Not with the caller's signal: it may be the reason why we are here. The bucket's rule sweeps what this misses.
    await client
      .send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId }), {
        abortSignal: AbortSignal.timeout(5_000),
      })
      .catch(() => undefined);
    throw error;
  }
}

async function sendParts(
  target: UploadTarget,
  uploadId: string | undefined,
  first: BodyPart,
  rest: AsyncGenerator<BodyPart>,
  buffers: PartBuffers,
): Promise<{ readonly parts: CompletedPart[]; readonly bytes: number }> {
  const parts: CompletedPart[] = [];
  const sending = new Set<Promise<void>>();
  let bytes = 0;
  let failure: { readonly error: unknown } | undefined;
  const send = (part: BodyPart, number: number): void => {
    bytes += part.bytes.length;
    const sent = target.client
      .send(
        new UploadPartCommand({
          Bucket: target.bucket,
          Key: target.key,
          UploadId: uploadId,
          PartNumber: number,
          Body: part.bytes,
          ContentLength: part.bytes.length,
          ChecksumSHA256: part.sha256,
        }),
        options(target),
      )
      .then(({ ETag: etag }) => {
        parts[number - 1] = { PartNumber: number, ETag: etag, ChecksumSHA256: part.sha256 };
        buffers.giveBack(part);
      })
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => sending.delete(sent));
    sending.add(sent);
  };
  try {
    send(first, 1);
    for (let number = 2; failure === undefined; number += 1) {
      const next = await rest.next();
      if (next.done === true) break;
      if (sending.size >= parallelParts) await Promise.race(sending);
      if (failure === undefined && next.value.bytes.length > 0) send(next.value, number);
    }
  } finally {
    // Nothing may be in flight when the upload is completed or aborted: a late part would stay behind.
    await Promise.all(sending);
    await rest.return(undefined);
  }
  if (failure !== undefined) throw failure.error;
  return { parts, bytes };
}

function options(target: UploadTarget): { abortSignal?: AbortSignal } {
  return target.signal === undefined ? {} : { abortSignal: target.signal };
}
