import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { cognitoClient } from '../aws/clients.ts';
import { cognitoRoles } from '../aws/cognito-roles.ts';
import { jwtVerifier } from '../aws/jwt-verifier.ts';
import { tableRoles } from '../aws/role-table.ts';
import { signInProvider } from '../aws/session-provider.ts';
import { secretText } from '../aws/session-secret.ts';
import { sessionTable } from '../aws/session-table.ts';
import type { RoleSource } from '../core/identity/role-source.ts';
import { tokenRoles } from '../core/identity/token-roles.ts';
import type { SignInPorts } from '../core/session/authenticate.ts';
import { type Seal, seal } from '../core/session/seal.ts';
import type { SignInProvider } from '../core/session/sign-in-provider.ts';
import { systemClock } from '../core/telemetry/telemetry.ts';
import type { Environment, IdentityEnvironment } from './environment.ts';

/** One client for all secrets of a process. */
export const secrets = new SecretsManagerClient({ maxAttempts: 3 });

/** Everything that knows people: who they are, how they sign in, which roles they hold now. */
export interface People extends SignInPorts {
  readonly provider: SignInProvider;
  readonly roles: RoleSource;
  /** Seals what is kept in the browser between leaving for the provider's page and coming back. */
  readonly attemptSeal: () => Promise<Seal>;
}

export function people(
  environment: Pick<Environment, 'identity' | 'secret' | 'sessions' | 'baseUrl'>,
  documents: DynamoDBDocumentClient,
): People {
  const { identity } = environment;
  const secret = secretText(secrets, environment.secret);
  const clientSecret =
    identity.clientSecretArn === undefined ? async () => undefined : secretText(secrets, identity.clientSecretArn);
  return {
    verifier: jwtVerifier({
      kind: identity.kind,
      issuer: identity.issuer,
      clientId: identity.clientId,
      audience: identity.audience ?? identity.clientId,
      jwksUri: identity.jwksUri,
      local: identity.local === true,
    }),
    sessions: sessionTable(documents, environment.sessions),
    tokenSeal: async () => seal(await secret(), 'session tokens'),
    attemptSeal: async () => seal(await secret(), 'sign-in attempt'),
    provider: signInProvider(
      {
        kind: identity.kind,
        issuer: identity.issuer,
        clientId: identity.clientId,
        clientSecret,
        scopes: identity.scopes ?? 'openid',
        authorizeUrl: identity.authorizeUrl,
        tokenUrl: identity.tokenUrl,
        ...(identity.logoutUrl === undefined ? {} : { logoutUrl: identity.logoutUrl }),
        local: identity.local === true,
      },
      environment.baseUrl,
    ),
    roles: roleSource(identity, documents),
    rules: {
      kind: identity.kind,
      ...(identity.caseSensitive === undefined ? {} : { caseSensitive: identity.caseSensitive }),
      ...(identity.rolesClaim === undefined ? {} : { rolesClaim: identity.rolesClaim }),
      rolesFromToken: identity.roles === 'token',
    },
    clock: systemClock,
  };
}

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
