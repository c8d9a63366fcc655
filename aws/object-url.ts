import { GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { DownloadFacts, DownloadObjects, DownloadTarget } from '../core/download/download-objects.ts';
import { ClaimcheckError } from '../core/errors.ts';
import type { OwnerKey } from '../core/reference/owner-key.ts';
import type { Telemetry } from '../core/telemetry/telemetry.ts';

/** Looks at people's objects and signs addresses for them. Keys are built here, from owner and checked ids alone. */
export function downloadObjects(s3: S3Client, bucket: string, telemetry: Telemetry): DownloadObjects {
  return {
    look: async (owner, target) => {
      try {
        const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: objectKey(owner, target) }));
        return factsOf(head.Metadata ?? {}, head.ContentLength ?? 0, head.ContentType ?? '');
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
  return target.kind === 'export'
    ? `exports/${owner}/${target.id}`
    : `results/${owner}/${target.session}/${target.id}/body`;
}

function factsOf(metadata: Readonly<Record<string, string>>, bytes: number, contentType: string): DownloadFacts {
  const name = decoded(metadata['cc-name']);
  return {
    bytes,
    contentType,
    tools: (metadata['cc-tools'] ?? '')
      .split(',')
      .filter((tool) => tool !== '')
      .map(decoded),
    availableUntil: decoded(metadata['cc-until']),
    ...(name === '' ? {} : { fileName: name }),
  };
}

function decoded(value: string | undefined): string {
  try {
    return decodeURIComponent(value ?? '');
  } catch {
    return ''; // Not ours: a tool list or date that cannot be read opens nothing.
  }
}

/** S3 says 403 for a missing object where listing is not allowed: both are "not there", and 403s are counted (DESIGN 7.2). */
function absent(error: unknown, telemetry: Telemetry): undefined {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  if (status === 404) return undefined;
  if (status === 403) {
    telemetry.count('HiddenObject', 1);
    return undefined;
  }
  throw new ClaimcheckError(
    'StorageUnavailable',
    'The storage does not answer right now. Try again in a moment.',
    { status: status ?? null },
    { cause: error },
  );
}
