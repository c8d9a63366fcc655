/** Verifies bearer tokens: what an MCP server over HTTP asks for, without the clients of the AWS SDK. */
export { jwtVerifier, type TokenRules } from '../aws/jwt-verifier.ts';
export type { TokenVerifier } from '../core/identity/token-verifier.ts';
