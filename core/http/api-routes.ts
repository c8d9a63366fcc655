import type { Identity } from '../identity/identity.ts';
import { authenticate, type SignInPorts } from '../session/authenticate.ts';
import { type CatalogRoutePorts, showCatalog } from './catalog-routes.ts';
import { type ChatRoutePorts, deleteChat, showChat, showChats } from './chat-routes.ts';
import { requireOwnOrigin } from './origin.ts';
import { methodNotAllowed, nothingHere, refusal, unauthenticated } from './refusal.ts';
import type { HttpRequest } from './request.ts';
import type { HttpResponse } from './response.ts';
import { type RunRoutePorts, showRun, startRun } from './run-routes.ts';
import { showView, type ViewRoutePorts } from './view-route.ts';

export type ApiPorts = RunRoutePorts &
  ChatRoutePorts &
  CatalogRoutePorts &
  ViewRoutePorts & { readonly signIn: SignInPorts };

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly answer: (
    request: HttpRequest,
    identity: Identity,
    ports: ApiPorts,
    parts: readonly string[],
  ) => Promise<HttpResponse>;
}

const routes: readonly Route[] = [
  { method: 'POST', pattern: /^\/runs$/, answer: (request, identity, ports) => startRun(request, identity, ports) },
  {
    method: 'GET',
    pattern: /^\/runs\/([^/]+)$/,
    answer: (_, identity, ports, [id = '']) => showRun(id, identity, ports),
  },
  { method: 'GET', pattern: /^\/chats$/, answer: (request, identity, ports) => showChats(request, identity, ports) },
  {
    method: 'GET',
    pattern: /^\/chats\/([^/]+)$/,
    answer: (_, identity, ports, [id = '']) => showChat(id, identity, ports),
  },
  {
    method: 'DELETE',
    pattern: /^\/chats\/([^/]+)$/,
    answer: (_, identity, ports, [id = '']) => deleteChat(id, identity, ports),
  },
  {
    method: 'GET',
    pattern: /^\/catalog$/,
    answer: (request, identity, ports) => showCatalog(request, identity, ports),
  },
  {
    method: 'GET',
    pattern: /^\/results\/([^/]+)\/([^/]+)\/view$/,
    answer: (_, identity, ports, [session = '', id = '']) => showView(session, id, identity, ports),
  },
];

/**
 * The JSON interface for the console and for programs (DESIGN 5.8). Who is asking comes before what is asked: without
 * a sign-in every address answers the same 401. What changes state needs our own `Origin`, or a bearer token.
 */
export async function respondToApi(request: HttpRequest, ports: ApiPorts): Promise<HttpResponse> {
  const identity = await authenticate(request, ports.signIn);
  if (identity === undefined) return unauthenticated();
  const here = routes.filter(({ pattern }) => pattern.test(request.path));
  if (here.length === 0) return refusal(nothingHere, request);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const route = here.find((candidate) => candidate.method === method);
  if (route === undefined) return methodNotAllowed(here.map((candidate) => candidate.method).join(', '));
  if (method !== 'GET') requireOwnOrigin(request, ports.publicBaseUrl);
  return route.answer(request, identity, ports, route.pattern.exec(request.path)?.slice(1) ?? []);
}
