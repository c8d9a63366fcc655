import { Aws, Duration, type RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { FeaturePlan, Mfa, OAuthScope, UserPool, type UserPoolClient, UserPoolDomain } from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { Config } from './config.ts';
import type { IdentityFacts } from './stateful.ts';

interface SignInProps {
  readonly config: Config;
  readonly baseUrl: string;
  readonly removalPolicy: RemovalPolicy;
}

/** Cognito's user pool, client and hosted page; or nothing at all when the operator brings an OIDC provider. */
export class SignIn extends Construct {
  readonly facts: IdentityFacts;
  readonly pool?: UserPool;
  readonly client?: UserPoolClient;
  /** What the service stack may import. */
  readonly exported: readonly string[];

  constructor(scope: Construct, id: string, props: SignInProps) {
    super(scope, id);
    const { identity } = props.config;
    const common = {
      scopes: identity.scopes,
      roles: identity.rolesSource,
      rolesClaim: identity.rolesClaim,
      caseSensitive: identity.caseSensitive,
      ...(identity.local && { local: true }),
      ...(identity.rolesTableArn !== undefined && {
        rolesTable: identity.rolesTableArn.slice(identity.rolesTableArn.indexOf('/') + 1),
      }),
      ...(identity.clientSecretArn !== undefined && { clientSecretArn: identity.clientSecretArn }),
      ...(identity.endpoints.endSession !== undefined && { logoutUrl: identity.endpoints.endSession }),
    };
    if (identity.kind === 'oidc') {
      this.exported = [];
      const issuer = (identity.issuer ?? '').replace(/\/+$/, '');
      const clientId = identity.clientId ?? '';
      this.facts = {
        kind: 'oidc',
        issuer: identity.issuer ?? '',
        clientId,
        audience: identity.audience ?? clientId,
        jwksUri: identity.endpoints.jwks ?? `${issuer}/.well-known/jwks.json`,
        authorizeUrl: identity.endpoints.authorization ?? '',
        tokenUrl: identity.endpoints.token ?? '',
        ...common,
      };
      return;
    }

    this.pool = userPool(this, props);
    const domain = new UserPoolDomain(this, 'Domain', {
      userPool: this.pool,
      cognitoDomain: { domainPrefix: identity.domainPrefix ?? `${props.config.name}-${Aws.ACCOUNT_ID}` },
    });
    this.client = this.pool.addClient('Console', {
      generateSecret: false, // A public client with PKCE: no secret to keep, the code is bound to the sign-in state.
      authFlows: { userSrp: true, adminUserPassword: identity.local },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.PROFILE],
        callbackUrls: [`${props.baseUrl}/auth/callback`],
        logoutUrls: [`${props.baseUrl}/`],
      },
      preventUserExistenceErrors: true,
      enableTokenRevocation: true,
      accessTokenValidity: Duration.hours(1),
      idTokenValidity: Duration.hours(1),
      refreshTokenValidity: Duration.days(1),
    });
    const clientId = this.client.userPoolClientId;
    const { userPoolId } = this.pool;
    this.exported = [this.pool.userPoolArn, userPoolId, clientId, domain.domainName];
    // The pool's id is known only after it was made; the local platform's addresses hold it.
    const withPool = (address: string | undefined) => address?.replaceAll('{userPoolId}', userPoolId);
    const issuer =
      withPool(identity.issuer) ?? `https://cognito-idp.${Stack.of(this).region}.${Aws.URL_SUFFIX}/${userPoolId}`;
    this.facts = {
      kind: 'cognito',
      issuer,
      clientId,
      audience: identity.audience ?? clientId,
      jwksUri: withPool(identity.endpoints.jwks) ?? `${issuer}/.well-known/jwks.json`,
      authorizeUrl: withPool(identity.endpoints.authorization) ?? `${domain.baseUrl()}/oauth2/authorize`,
      tokenUrl: withPool(identity.endpoints.token) ?? `${domain.baseUrl()}/oauth2/token`,
      logoutUrl: `${domain.baseUrl()}/logout`,
      userPoolId,
      ...common,
    };
  }
}

function userPool(scope: Construct, { config, removalPolicy }: SignInProps): UserPool {
  const pool = new UserPool(scope, 'Users', {
    selfSignUpEnabled: false,
    // Both cannot be changed later without a new pool, so neither is a setting.
    signInAliases: { username: true, email: true },
    signInCaseSensitive: false,
    passwordPolicy: {
      minLength: 12,
      requireDigits: true,
      requireLowercase: true,
      requireUppercase: true,
      requireSymbols: true,
      tempPasswordValidity: Duration.days(3),
    },
    mfa: config.identity.requireMfa ? Mfa.REQUIRED : Mfa.OPTIONAL,
    mfaSecondFactor: { otp: true, sms: false },
    featurePlan: FeaturePlan.ESSENTIALS,
    deletionProtection: !config.removeDataOnDestroy,
    removalPolicy,
  });
  Validations.of(pool).acknowledge(
    { id: 'AwsSolutions-COG2', reason: 'A second factor is offered to all; identity.requireMfa demands it of all.' },
    {
      id: 'AwsSolutions-COG8',
      reason: 'Threat protection needs the Plus plan, a price per user that operators choose.',
    },
  );
  return pool;
}
