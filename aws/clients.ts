import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient } from '@aws-sdk/client-sfn';

/**
 * The SDK clients, made once per process. Region, credentials and end points come from the SDK's own environment
 * (`AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ENDPOINT_URL_BEDROCK_RUNTIME`), so the same code runs locally and on AWS.
 */
export { documentClient, s3Client, uploadSigningClient } from './store-clients.ts';

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
