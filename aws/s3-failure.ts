import { ClaimcheckError } from '../core/errors.ts';

interface ServiceFailure {
  readonly name: string;
  readonly message: string;
  readonly status: number | undefined;
}

export function serviceFailure(error: unknown): ServiceFailure {
  const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  return { name: name ?? 'Unknown', message: message ?? '', status: $metadata?.httpStatusCode };
}

/** The key of the bucket may not be used: trouble of the store, whatever the status says (case H058). */
function isKeyTrouble({ name, message }: ServiceFailure): boolean {
  return name.startsWith('KMS') || /\bkms\b/i.test(message);
}

/**
 * What a failed read means: `missing` (404), `hidden` (403: S3 answers it for a missing key to those who may not
 * list, and for an object that may not be seen), or `trouble` of the store itself, never "not found".
 */
export function readFailure(error: unknown): 'missing' | 'hidden' | 'trouble' {
  const failure = serviceFailure(error);
  if (isKeyTrouble(failure)) return 'trouble';
  if (failure.status === 404) return failure.name === 'NoSuchBucket' ? 'trouble' : 'missing';
  return failure.status === 403 ? 'hidden' : 'trouble';
}

export const isPreconditionFailed = (error: unknown): boolean => serviceFailure(error).status === 412;
export const isConflict = (error: unknown): boolean => serviceFailure(error).status === 409;
export const isGoneUpload = (error: unknown): boolean => serviceFailure(error).name === 'NoSuchUpload';

/** `StorageUnavailable` with the service's own name for what went wrong; our own errors pass. */
export function storageTrouble(action: string, error: unknown): ClaimcheckError {
  if (error instanceof ClaimcheckError) return error;
  const { name, status } = serviceFailure(error);
  return new ClaimcheckError(
    'StorageUnavailable',
    `storage: ${action} failed`,
    { service: name, status: status ?? null },
    { cause: error },
  );
}
