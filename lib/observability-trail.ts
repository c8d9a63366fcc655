import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { ReadWriteType, Trail } from 'aws-cdk-lib/aws-cloudtrail';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Config } from './config.ts';

/**
 * Who read and wrote which object: CloudTrail data events of the result bucket, of nothing else. Object keys hold
 * owner keys, so the records are kept no longer than the logs (docs/data-protection.md).
 */
export class ObjectTrail extends Construct {
  constructor(scope: Construct, id: string, props: { readonly config: Config; readonly bucket: Bucket }) {
    super(scope, id);
    const records = new Bucket(this, 'Records', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [{ id: 'records', expiration: Duration.days(props.config.logs.retentionDays) }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Validations.of(records).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'It holds the access records of the other bucket; records about records would have no end.',
    });
    const trail = new Trail(this, 'Trail', {
      bucket: records as IBucket,
      isMultiRegionTrail: false,
      includeGlobalServiceEvents: false,
      enableFileValidation: true,
      managementEvents: ReadWriteType.NONE,
    });
    trail.addS3EventSelector([{ bucket: props.bucket as IBucket }], {
      readWriteType: ReadWriteType.ALL,
      includeManagementEvents: false,
    });
  }
}
