import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TokenVerifier } from '../../core/identity/token-verifier.ts';

export interface ResourceServerRules {
  /** Checks signature, issuer, audience and expiry: a token made for something else is none for us. */
  readonly tokens: TokenVerifier;
  /** Address of this server as clients write it, e.g. `https://results.example.com/mcp`. */
  readonly resource: string;
  /** Issuers of the tokens that are taken. */
  readonly authorizationServers: readonly string[];
  /** `Host` headers that are ours; anything else is a rebound name. Default: the host of `resource`. */
  readonly hosts?: readonly string[];
  /** Web pages that may call from a browser. Default: none. Requests without an `Origin` are no browser's. */
  readonly origins?: readonly string[];
}

export type Claims = Readonly<Record<string, unknown>>;

const metadataPath = '/.well-known/oauth-protected-resource';

/**
 * The checks of an OAuth resource server, in front of everything (MCP authorization; RFC 9728, RFC 6750): host, origin,
 * metadata, bearer token. Answers the claims of a good token; otherwise the request is answered already.
 */
export async function checkedClaims(
  request: IncomingMessage,
  response: ServerResponse,
  rules: ResourceServerRules,
): Promise<Claims | undefined> {
  const { host = '', origin } = request.headers;
  const resource = new URL(rules.resource);
  const path = new URL(request.url ?? '/', rules.resource).pathname;
  if (!(rules.hosts ?? [resource.host]).includes(host)) return refuse(response, 421, 'not a name of this server');
  if (origin !== undefined && !(rules.origins ?? []).includes(origin))
    return refuse(response, 403, 'origin not allowed');
  if (path === metadataPath || path === metadataPath + resource.pathname) {
    return answer(response, 200, {
      resource: rules.resource,
      authorization_servers: rules.authorizationServers,
      bearer_methods_supported: ['header'],
    });
  }
  if (path !== resource.pathname) return refuse(response, 404, 'nothing here');
  const token = /^Bearer ([\w.~+/=-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const claims = token === undefined ? undefined : await verified(token, rules.tokens, response);
  if (claims === 'answered') return undefined;
  if (claims === undefined) {
    const error = token === undefined ? '' : 'error="invalid_token", ';
    const metadata = new URL(metadataPath + resource.pathname, rules.resource);
    response.setHeader('WWW-Authenticate', `Bearer ${error}resource_metadata="${metadata}"`);
    return refuse(response, 401, 'a token for this server is needed');
  }
  return claims;
}

async function verified(
  token: string,
  tokens: TokenVerifier,
  response: ServerResponse,
): Promise<Claims | undefined | 'answered'> {
  try {
    return await tokens.verify(token);
  } catch {
    // The key set cannot be had: an outage, not the caller's bad token.
    refuse(response, 503, 'tokens cannot be checked now');
    return 'answered';
  }
}

export function refuse(response: ServerResponse, status: number, message: string): undefined {
  return answer(response, status, { jsonrpc: '2.0', error: { code: -32000, message }, id: null });
}

function answer(response: ServerResponse, status: number, body: unknown): undefined {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(text);
  return undefined;
}
