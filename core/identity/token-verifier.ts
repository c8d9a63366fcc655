/** Checks a token's signature, issuer, audience and expiry. Answers its claims, or undefined when any of them fails. */
export interface TokenVerifier {
  verify(token: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}
