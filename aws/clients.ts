import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * The SDK clients, made once per process. Region, credentials and end points come from the SDK's own environment
 * (`AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ENDPOINT_URL_BEDROCK_RUNTIME`), so the same code runs locally and on AWS.
 */
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

/** One attempt: executions of a tool are counted and repeated by `run-tool` alone (DESIGN 9). */
export function toolInvokerClient(requestTimeoutMs: number): LambdaClient {
  return new LambdaClient({ maxAttempts: 1, requestHandler: { requestTimeout: requestTimeoutMs } });
}

export function stepFunctionsClient(): SFNClient {
  return new SFNClient({ maxAttempts: 3 });
}

export function bedrockClient(requestTimeoutMs: number): BedrockRuntimeClient {
  return new BedrockRuntimeClient({ maxAttempts: 3, requestHandler: { requestTimeout: requestTimeoutMs } });
}

/** Throttled role look-ups are retried within a second by their own rule, so the client retries nothing. */
export function cognitoClient(): CognitoIdentityProviderClient {
  return new CognitoIdentityProviderClient({ maxAttempts: 1, requestHandler: { requestTimeout: 2_000 } });
}
