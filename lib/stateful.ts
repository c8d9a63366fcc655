import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';

/** Who vouches for people, as functions are told it (`CLAIMCHECK_IDENTITY`, docs/contracts.md). */
export interface IdentityFacts {
  readonly kind: 'cognito' | 'oidc';
  readonly issuer: string;
  readonly clientId: string;
  readonly audience: string;
  readonly jwksUri: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly logoutUrl?: string;
  readonly userPoolId?: string;
  readonly scopes: string;
  readonly roles: 'cognito' | 'table' | 'token';
  readonly rolesClaim?: string;
  readonly rolesTable?: string;
  readonly clientSecretArn?: string;
  readonly caseSensitive: boolean;
  readonly local?: boolean;
}

/** What lasts, as the service stack sees it. */
export interface Stateful {
  readonly bucket: Bucket;
  /** The name under which the bucket's ARN is exported: what cdk-nag calls it in the other stack. */
  readonly bucketExport: string;
  readonly runs: Table;
  readonly catalog: Table;
  readonly chats: Table;
  readonly sessions: Table;
  /** Seals sign-in state, session tokens and cursors. */
  readonly secret: Secret;
  /** Set when the operator encrypts with a key of their own. */
  readonly key?: IKey;
  readonly api: HttpApi;
  readonly baseUrl: string;
  readonly identity: IdentityFacts;
  /** Set for Cognito. */
  readonly userPoolArn?: string;
}
