import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowSeconds, TokenMaker } from './token-maker.ts';

interface Grant {
  readonly subject: string;
  readonly nonce: string | null;
  readonly challenge: string;
  readonly redirectUri: string;
}

/**
 * An OpenID provider over real HTTP: sign-in page, codes that work once and only with their PKCE verifier, refresh
 * tokens, a key set. What it was asked is kept for tests; what it does wrong is set by them.
 */
export class OidcProvider {
  readonly tokens = new TokenMaker();
  readonly clientId = 'console';
  readonly requests: string[] = [];
  /** Claims over the standard ones, for tests of what must be refused. */
  claims: Record<string, unknown> = {};
  lifetime = 3600;
  refreshes: 'work' | 'refused' | 'down' = 'work';
  readonly #codes = new Map<string, Grant>();
  readonly #refresh = new Map<string, string>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Somebody fills in the sign-in page that this address shows; answers where the browser is sent. */
  approve(address: string, subject: string): string {
    const query = new URL(address).searchParams;
    const code = randomUUID();
    this.#codes.set(code, {
      subject,
      nonce: query.get('nonce'),
      challenge: query.get('code_challenge') ?? '',
      redirectUri: query.get('redirect_uri') ?? '',
    });
    const back = new URL(query.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    return back.href;
  }

  idToken(subject: string, more: Record<string, unknown> = {}): string {
    const iat = nowSeconds();
    const standard = { iss: this.url, aud: this.clientId, sub: subject, iat, exp: iat + this.lifetime };
    return this.tokens.sign({ ...standard, ...this.claims, ...more });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    this.requests.push(`${request.method} ${path}`);
    let body = '';
    for await (const piece of request) body += piece;
    const send = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (path === '/jwks') return send(200, { keys: [this.tokens.jwk] });
    if (path !== '/token') return send(404, {});
    const form = new URLSearchParams(body);
    if (form.get('grant_type') === 'refresh_token') {
      if (this.refreshes === 'down') return send(503, { error: 'temporarily_unavailable' });
      const subject = this.#refresh.get(form.get('refresh_token') ?? '');
      if (subject === undefined || this.refreshes === 'refused') return send(400, { error: 'invalid_grant' });
      return send(200, this.#issued(subject, {}));
    }
    const grant = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant === undefined || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      return send(400, { error: 'invalid_grant' });
    }
    return send(200, this.#issued(grant.subject, grant.nonce === null ? {} : { nonce: grant.nonce }));
  }

  #issued(subject: string, more: Record<string, unknown>): Record<string, unknown> {
    const refresh = randomUUID();
    this.#refresh.set(refresh, subject);
    return {
      token_type: 'Bearer',
      access_token: randomUUID(),
      id_token: this.idToken(subject, { ...more, ...this.claims }),
      refresh_token: refresh,
      expires_in: this.lifetime,
    };
  }
}
