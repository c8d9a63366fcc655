import { JwtVerifier } from 'aws-jwt-verify';
import { FetchError, JwksNotAvailableInCacheError, JwksValidationError, JwtBaseError } from 'aws-jwt-verify/error';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';
import type { TokenVerifier } from '../core/identity/token-verifier.ts';

export interface TokenRules {
  readonly kind: 'cognito' | 'oidc';
  readonly issuer: string;
  /** Our client at the provider: what sign-in's ID tokens are made for. */
  readonly clientId: string;
  /** What bearer tokens of an `oidc` provider are made for, when it is not the client itself. */
  readonly audience?: string;
  readonly jwksUri: string;
  /** The local platform serves its key set by plain http, which is refused everywhere else. */
  readonly local?: boolean;
}

/**
 * Verifies tokens of one issuer. Cognito's access tokens carry no `aud`, so there the client is checked by
 * `client_id` (access) or `aud` (ID token); any other provider's token must name the client as its audience.
 * Throws when the key set cannot be loaded: an outage is not the caller's bad token.
 */
export function jwtVerifier(rules: TokenRules): TokenVerifier {
  const cache = rules.local === true ? new SimpleJwksCache({ fetcher: plainFetcher }) : new SimpleJwksCache();
  const base = { issuer: rules.issuer, jwksUri: rules.jwksUri, graceSeconds: 0 };
  const verifier =
    rules.kind === 'cognito'
      ? JwtVerifier.create(
          {
            ...base,
            audience: null,
            customJwtCheck: ({ payload }) => {
              requireEnd(payload);
              const use = payload['token_use'];
              const madeFor = use === 'access' ? payload['client_id'] : payload.aud;
              if ((use !== 'access' && use !== 'id') || madeFor !== rules.clientId) throw new Unacceptable();
            },
          },
          { jwksCache: cache },
        )
      : JwtVerifier.create(
          {
            ...base,
            audience: [rules.clientId, rules.audience ?? rules.clientId],
            customJwtCheck: ({ payload }) => requireEnd(payload),
          },
          { jwksCache: cache },
        );
  return {
    verify: async (token) => {
      // Longer than any header the gateway lets through (DESIGN 12), so nothing larger is ever parsed.
      if (token.length > 10_240) return undefined;
      try {
        return (await verifier.verify(token)) as Readonly<Record<string, unknown>>;
      } catch (error) {
        if (error instanceof Unacceptable || isBadToken(error)) return undefined;
        throw error;
      }
    },
  };
}

/** Failures to load or read the key set are the library's only errors that say nothing about the token. */
function isBadToken(error: unknown): boolean {
  if (error instanceof FetchError || error instanceof JwksValidationError) return false;
  return error instanceof JwtBaseError && !(error instanceof JwksNotAvailableInCacheError);
}

/** The library checks an end that is there; a token without one would be good for ever. */
function requireEnd(payload: { readonly exp?: number }): void {
  if (typeof payload.exp !== 'number') throw new Unacceptable();
}

/** Refused by a rule of ours, after signature, issuer and dates were found good. */
class Unacceptable extends Error {
  override readonly name = 'Unacceptable';
}

const plainFetcher = {
  fetch: async (uri: string): Promise<ArrayBuffer> => {
    const response = await fetch(uri, { signal: AbortSignal.timeout(3_000) });
    if (!response.ok) throw new Error(`key set: expected 200, found ${response.status}`);
    return response.arrayBuffer();
  },
};
