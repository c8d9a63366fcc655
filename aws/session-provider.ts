import * as oidc from 'openid-client';
import { ClaimcheckError } from '../core/errors.ts';
import type { IssuedTokens, SignInProvider } from '../core/session/sign-in-provider.ts';

export interface ProviderSettings {
  readonly kind: 'cognito' | 'oidc';
  readonly issuer: string;
  readonly clientId: string;
  /** Asked at the first sign-in; undefined for a public client, which PKCE alone protects. */
  readonly clientSecret: () => Promise<string | undefined>;
  /** `openid` among them, blanks between. */
  readonly scopes: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly logoutUrl?: string;
  /** Allows plain http, for the local platform alone. */
  readonly local?: boolean;
}

/** Seconds that somebody may take on the provider's page. */
export const attemptSeconds = 600;

/**
 * An OpenID provider by `openid-client`. The configuration comes from settings and not from discovery: no request
 * before the first sign-in, nothing to trust but what was deployed.
 */
export function signInProvider(settings: ProviderSettings, publicBaseUrl: string): SignInProvider {
  const callback = `${publicBaseUrl}/auth/callback`;
  const configure = async (): Promise<oidc.Configuration> => {
    const secret = await settings.clientSecret();
    const configuration = new oidc.Configuration(
      { issuer: settings.issuer, authorization_endpoint: settings.authorizeUrl, token_endpoint: settings.tokenUrl },
      settings.clientId,
      undefined,
      secret === undefined ? oidc.None() : oidc.ClientSecretBasic(secret),
    );
    configuration.timeout = 5;
    if (settings.local === true) oidc.allowInsecureRequests(configuration);
    return configuration;
  };
  return {
    pageOrigin: new URL(settings.authorizeUrl).origin,
    begin: async (returnTo, now) => {
      const verifier = oidc.randomPKCECodeVerifier();
      const state = oidc.randomState();
      const nonce = oidc.randomNonce();
      const address = oidc.buildAuthorizationUrl(await configure(), {
        redirect_uri: callback,
        scope: settings.scopes,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { attempt: { state, nonce, verifier, returnTo, expiresAt: now + attemptSeconds }, address: address.href };
    },
    finish: async (query, attempt) =>
      granted(async () =>
        oidc.authorizationCodeGrant(await configure(), new URL(`${callback}?${query.toString()}`), {
          pkceCodeVerifier: attempt.verifier,
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          idTokenExpected: true,
        }),
      ),
    renew: (refreshToken) => granted(async () => oidc.refreshTokenGrant(await configure(), refreshToken)),
    signOutAddress: () => {
      if (settings.logoutUrl === undefined) return `${publicBaseUrl}/`;
      const address = new URL(settings.logoutUrl);
      address.searchParams.set('client_id', settings.clientId);
      // Cognito's page and the standard one name the way back differently.
      address.searchParams.set(
        settings.kind === 'cognito' ? 'logout_uri' : 'post_logout_redirect_uri',
        `${publicBaseUrl}/`,
      );
      return address.href;
    },
  };
}

/** Undefined when the provider refuses or the answer fails a check; trouble on the way is retryable and thrown. */
async function granted(
  call: () => Promise<oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers>,
): Promise<IssuedTokens | undefined> {
  try {
    const answer = await call();
    if (answer.id_token === undefined) return undefined;
    return {
      idToken: answer.id_token,
      ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
      expiresAt: answer.claims()?.exp ?? 0,
    };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw new ClaimcheckError(
      'RolesUnavailable',
      'The sign-in service does not answer right now. Try again in a moment.',
      {},
      { cause: error },
    );
  }
}

/** What the provider or one of the checks said no to. A provider that is overloaded or down has not said anything. */
function isRefusal(error: unknown): boolean {
  if (error instanceof oidc.AuthorizationResponseError) return true;
  if (error instanceof oidc.ResponseBodyError) return error.status < 500 && error.status !== 429;
  if (!(error instanceof oidc.ClientError)) return false;
  const answer = error.cause instanceof Response ? error.cause.status : 0;
  return answer < 500 && answer !== 429 && error.code !== 'OAUTH_TIMEOUT';
}
