import { Duration, type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { Config } from './config.ts';

/** Days that the bucket keeps an object beyond the longest retention ever promised (DESIGN 6). */
export const lifecycleMarginDays = 2;

/**
 * The bucket of results and exports: private, TLS only, create-only. It keeps no versions: objects are never
 * overwritten, and an erased one must be gone (docs/decisions/bucket-without-versions.md).
 */
export function resultBucket(
  scope: Construct,
  props: { readonly config: Config; readonly removalPolicy: RemovalPolicy; readonly key: IKey | undefined },
): Bucket {
  const expiration = Duration.days(props.config.storage.longestRetentionDays + lifecycleMarginDays);
  const bucket = new Bucket(scope, 'Results', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    versioned: false,
    removalPolicy: props.removalPolicy,
    ...(props.key === undefined
      ? { encryption: BucketEncryption.S3_MANAGED }
      : { encryption: BucketEncryption.KMS, encryptionKey: props.key, bucketKeyEnabled: true }),
    lifecycleRules: [
      { id: 'results', prefix: 'results/', expiration },
      { id: 'exports', prefix: 'exports/', expiration },
      { id: 'staging', prefix: 'staging/', expiration: Duration.days(1) },
      { id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ],
  });
  bucket.addToResourcePolicy(
    new PolicyStatement({
      sid: 'CreateOnly',
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: ['s3:PutObject'],
      resources: [bucket.arnForObjects('*')],
      // Parts of a multipart upload create no object yet: the second condition leaves them to its completion.
      conditions: { Null: { 's3:if-none-match': 'true' }, Bool: { 's3:ObjectCreationOperation': 'true' } },
    }),
  );
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'Server access logs would hold owners’ keys in clear; features.trails records data events instead.',
  });
  return bucket;
}
