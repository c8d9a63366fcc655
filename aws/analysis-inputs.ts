import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { ResultAddress } from '../core/store/result-store.ts';
import { bodyKey } from './s3-keys.ts';

/** How long an engine may take to begin reading its inputs, in seconds. */
const urlSeconds = 60;

/** Addresses that open one body each: all that the engine gets of the store. */
export function signedBodyUrl(s3: S3Client, bucket: string): (address: ResultAddress) => Promise<string> {
  return (address) =>
    getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: bodyKey(address) }), { expiresIn: urlSeconds });
}
