import { GetObjectCommand, HeadObjectCommand, type HeadObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { DownloadFacts, DownloadObjects, DownloadTarget } from '../core/download/download-objects.ts';
import { ClaimcheckError } from '../core/errors.ts';
import type { OwnerKey } from '../core/reference/owner-key.ts';
import { decodeMetadata } from '../core/store/body-metadata.ts';
import type { Telemetry } from '../core/telemetry/telemetry.ts';
import { readFailure } from './s3-failure.ts';
import { bodyKey } from './s3-keys.ts';

/** Looks at people's objects and signs addresses for them. Keys are built here, from owner and checked ids alone. */
export function downloadObjects(s3: S3Client, bucket: string, telemetry: Telemetry): DownloadObjects {
  return {
    look: async (owner, target) => {
      try {
        const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: objectKey(owner, target) }));
        return factsOf(head);
      } catch (error) {
        return absent(error, telemetry);
      }
    },
    signedUrl: (owner, target, answer, seconds) =>
      getSignedUrl(
        s3,
        new GetObjectCommand({
          Bucket: bucket,
          Key: objectKey(owner, target),
          ResponseContentDisposition: answer.disposition,
          ResponseContentType: answer.contentType,
          ResponseCacheControl: 'no-store',
        }),
        { expiresIn: seconds },
      ),
  };
}

function objectKey(owner: OwnerKey, target: DownloadTarget): string {
  return target.kind === 'export' ? `exports/${owner}/${target.id}` : bodyKey({ owner, ...target });
}

/** An object that was not written by us names no tools, and so opens for nobody. */
function factsOf({ Metadata, ContentType, ContentLength }: HeadObjectCommandOutput): DownloadFacts {
  const metadata = decodeMetadata(Metadata, ContentType);
  return {
    bytes: ContentLength ?? 0,
    contentType: ContentType ?? '',
    tools: metadata?.tools ?? [],
    availableUntil: metadata?.availableUntil ?? '',
    ...(metadata?.fileName === undefined ? {} : { fileName: metadata.fileName }),
  };
}

/** "Not there" and "may not be seen" are one answer; the second is counted. Trouble of the store is neither (DESIGN 7.2). */
function absent(error: unknown, telemetry: Telemetry): undefined {
  const failure = readFailure(error);
  if (failure === 'trouble') {
    throw new ClaimcheckError(
      'StorageUnavailable',
      'The storage does not answer right now. Try again in a moment.',
      {},
      { cause: error },
    );
  }
  if (failure === 'hidden') telemetry.count('HiddenObject', 1);
  return undefined;
}
