import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The clients of the stores, apart from those of the services that only the deployed platform calls. */
export function s3Client(): S3Client {
  return new S3Client({ maxAttempts: 3 });
}

/** For signed uploads: the checksum that the client otherwise adds would be that of no body, and refuse every other. */
export function uploadSigningClient(): S3Client {
  return new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
}

/** Nested `undefined` is dropped like a top-level one: absent and undefined mean the same in our items. */
export function documentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 4 }), {
    marshallOptions: { removeUndefinedValues: true },
  });
}
