import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { jwtVerifier } from '../../aws/jwt-verifier.ts';
import { signInProvider } from '../../aws/session-provider.ts';
import { sessionTable } from '../../aws/session-table.ts';
import { ClaimcheckError } from '../../core/errors.ts';
import { respondToDownload } from '../../core/http/download-route.ts';
import { refusal } from '../../core/http/refusal.ts';
import { httpRequest } from '../../core/http/request.ts';
import type { HttpResponse } from '../../core/http/response.ts';
import { respondToSignIn } from '../../core/http/sign-in-routes.ts';
import type { RoleHolder } from '../../core/identity/role-source.ts';
import type { SignInPorts } from '../../core/session/authenticate.ts';
import { seal } from '../../core/session/seal.ts';
import { silentTelemetry } from '../../core/telemetry/telemetry.ts';
import { type ToolDefinition, toolCatalogue } from '../../core/tool/tool-definition.ts';
import { MemoryObjects } from './memory-objects.ts';
import type { OidcProvider } from './oidc-provider.ts';

export const baseUrl = 'https://claimcheck.example';
const secret = 'a secret of sixty-four characters that only the tests ever know.';

export const statusTool: ToolDefinition = {
  name: 'service_status',
  version: '1',
  description: 'test',
  inputSchema: { type: 'object' },
  intake: 'answer',
  roles: ['ops'],
  retry: 'idempotent',
  budgetBytes: 24_576,
  timeoutMs: 1_000,
  population: 'finite',
};

/** Sign-in and downloads as deployed, with a real provider and table behind them and objects in memory. */
export class PeopleApp {
  readonly objects = new MemoryObjects();
  readonly provider: OidcProvider;
  readonly signIn: SignInPorts;
  rolesOf: (holder: RoleHolder) => Promise<readonly string[]> = async () => ['ops'];
  now = () => new Date();
  readonly #respondToSignIn: (request: ReturnType<typeof httpRequest>) => Promise<HttpResponse>;

  constructor(provider: OidcProvider, documents: DynamoDBDocumentClient, table: string, rolesFromToken = false) {
    this.provider = provider;
    const oidc = signInProvider(
      {
        kind: 'oidc',
        issuer: provider.url,
        clientId: provider.clientId,
        clientSecret: async () => undefined,
        scopes: 'openid',
        authorizeUrl: `${provider.url}/authorize`,
        tokenUrl: `${provider.url}/token`,
        logoutUrl: `${provider.url}/logout`,
        local: true,
      },
      baseUrl,
    );
    this.signIn = {
      verifier: jwtVerifier({
        kind: 'oidc',
        issuer: provider.url,
        clientId: provider.clientId,
        jwksUri: `${provider.url}/jwks`,
        local: true,
      }),
      sessions: sessionTable(documents, table),
      tokenSeal: async () => seal(secret, 'session tokens'),
      provider: oidc,
      rules: { kind: 'oidc', rolesFromToken },
      clock: { now: () => this.now() },
    };
    const ports = {
      signIn: this.signIn,
      provider: oidc,
      attemptSeal: async () => seal(secret, 'sign-in attempt'),
      publicBaseUrl: baseUrl,
      telemetry: silentTelemetry,
    };
    this.#respondToSignIn = (request) => respondToSignIn(request, ports);
  }

  /** One request, as the gateway hands it over. Expected refusals that are thrown are mapped as the handler does. */
  async request(
    path: string,
    options: {
      readonly method?: string;
      readonly headers?: Record<string, string>;
      readonly cookies?: readonly string[];
      readonly stage?: string;
    } = {},
  ): Promise<HttpResponse> {
    const [rawPath = '', rawQueryString = ''] = path.split('?');
    const request = httpRequest({
      version: '2.0',
      rawPath,
      rawQueryString,
      headers: options.headers ?? {},
      ...(options.cookies === undefined ? {} : { cookies: options.cookies }),
      requestContext: { stage: options.stage ?? '$default', http: { method: options.method ?? 'GET' } },
    });
    try {
      return request.path.startsWith('/auth/')
        ? await this.#respondToSignIn(request)
        : await respondToDownload(request, {
            signIn: this.signIn,
            publicBaseUrl: baseUrl,
            objects: this.objects,
            roles: { rolesOf: (holder) => this.rolesOf(holder) },
            tools: toolCatalogue([statusTool]),
            telemetry: silentTelemetry,
            clock: this.signIn.clock,
            urlSeconds: 60,
          });
    } catch (error) {
      if (error instanceof ClaimcheckError) return refusal(error, request, baseUrl);
      throw error;
    }
  }
}
