import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { jwtVerifier } from '../aws/jwt-verifier.ts';
import type { ProviderSettings } from '../aws/session-provider.ts';
import { secretText } from '../aws/session-secret.ts';
import { sessionTable } from '../aws/session-table.ts';
import type { RoleSource } from '../core/identity/role-source.ts';
import type { SignInPorts } from '../core/session/authenticate.ts';
import { type Seal, seal } from '../core/session/seal.ts';
import type { SignInProvider } from '../core/session/sign-in-provider.ts';
import { systemClock } from '../core/telemetry/telemetry.ts';
import type { Environment } from './environment.ts';
import { roleSource } from './role-source.ts';

/** One client for all secrets of a process. */
export const secrets = new SecretsManagerClient({ maxAttempts: 3 });

/** Everything that knows people: who they are, how they sign in, which roles they hold now. */
export interface People extends SignInPorts {
  readonly roles: RoleSource;
  /** Seals what is kept in the browser between leaving for the provider's page and coming back. */
  readonly attemptSeal: () => Promise<Seal>;
}

type PeopleEnvironment = Pick<Environment, 'identity' | 'secret' | 'sessions' | 'baseUrl'>;

/**
 * `provider` renews the tokens of a sign-in that goes on. By default it is loaded for the first renewal: most requests
 * come with tokens that are good, and need none of a provider's protocol.
 */
export function people(
  environment: PeopleEnvironment,
  documents: DynamoDBDocumentClient,
  provider: People['provider'] = renewalOnDemand(environment),
): People {
  const { identity } = environment;
  const secret = secretText(secrets, environment.secret);
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
    provider,
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

/** What `signInProvider` is told. */
export function providerSettings({ identity }: Pick<Environment, 'identity'>): ProviderSettings {
  return {
    kind: identity.kind,
    issuer: identity.issuer,
    clientId: identity.clientId,
    clientSecret:
      identity.clientSecretArn === undefined ? async () => undefined : secretText(secrets, identity.clientSecretArn),
    scopes: identity.scopes ?? 'openid',
    authorizeUrl: identity.authorizeUrl,
    tokenUrl: identity.tokenUrl,
    ...(identity.logoutUrl === undefined ? {} : { logoutUrl: identity.logoutUrl }),
    local: identity.local === true,
  };
}

function renewalOnDemand(environment: Pick<Environment, 'identity' | 'baseUrl'>): People['provider'] {
  let provider: Promise<SignInProvider> | undefined;
  return {
    renew: async (refreshToken) => {
      provider ??= import('../aws/session-provider.ts').then(({ signInProvider }) =>
        signInProvider(providerSettings(environment), environment.baseUrl),
      );
      return (await provider).renew(refreshToken);
    },
  };
}
