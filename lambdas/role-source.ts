import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { cognitoClient } from '../aws/clients.ts';
import { cognitoRoles } from '../aws/cognito-roles.ts';
import { tableRoles } from '../aws/role-table.ts';
import type { RoleSource } from '../core/identity/role-source.ts';
import { tokenRoles } from '../core/identity/token-roles.ts';
import { systemClock } from '../core/telemetry/telemetry.ts';
import type { IdentityEnvironment } from './environment.ts';

/** The configured source of current roles. Throws at start for a source whose settings are missing. */
export function roleSource(identity: IdentityEnvironment, documents: DynamoDBDocumentClient): RoleSource {
  if (identity.roles === 'token') return tokenRoles(systemClock);
  if (identity.roles === 'table') return tableRoles(documents, required(identity.rolesTable, 'rolesTable'));
  return cognitoRoles(cognitoClient(), required(identity.userPoolId, 'userPoolId'));
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`CLAIMCHECK_IDENTITY: ${name} is missing`);
  return value;
}
