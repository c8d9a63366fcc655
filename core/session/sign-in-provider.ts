import type { SessionTokens } from './session.ts';

/** What is remembered between leaving for the provider's page and coming back. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

export interface IssuedTokens extends SessionTokens {
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** An OpenID provider's sign-in: authorization code with PKCE. */
export interface SignInProvider {
  /** A fresh attempt and the address of the provider's page for it. */
  begin(returnTo: string, now: number): Promise<{ readonly attempt: SignInAttempt; readonly address: string }>;
  /** Exchanges the code in the callback's query. Undefined when the provider or the checks refuse it. */
  finish(query: URLSearchParams, attempt: SignInAttempt): Promise<IssuedTokens | undefined>;
  /** New tokens, or undefined when the provider says that this sign-in is over. */
  renew(refreshToken: string): Promise<IssuedTokens | undefined>;
  /** Where to end the provider's own session; `/` of ours when it has no such page. */
  signOutAddress(): string;
  readonly pageOrigin: string;
}
