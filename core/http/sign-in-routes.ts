import { identityOf } from '../identity/identity.ts';
import { authenticate, renewalTime, type SignInPorts, tokensOf } from '../session/authenticate.ts';
import { returnPath } from '../session/return-path.ts';
import type { Seal } from '../session/seal.ts';
import { newSessionId, sessionCookie, sessionDigest, sessionSeconds } from '../session/session.ts';
import type { SignInAttempt, SignInProvider } from '../session/sign-in-provider.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { cookieValue, hostCookie } from './cookies.ts';
import { requireOwnOrigin } from './origin.ts';
import { page } from './page.ts';
import { methodNotAllowed, nothingHere, refusal } from './refusal.ts';
import type { HttpRequest } from './request.ts';
import { type HttpResponse, json, redirect } from './response.ts';

/** One cookie per attempt, so that two tabs can sign in at once. */
const attemptCookie = '__Host-claimcheck-signin-';
/** Attempts that a browser may hold; more would not fit the gateway's 10,240 bytes of headers. */
const maxAttempts = 5;

export interface SignInRoutePorts {
  readonly signIn: SignInPorts;
  readonly provider: SignInProvider;
  readonly attemptSeal: () => Promise<Seal>;
  readonly publicBaseUrl: string;
  readonly telemetry: Telemetry;
}

/** Where somebody who is not signed in is sent, with the way back. */
export function signInAddress(publicBaseUrl: string, path: string): string {
  const back = returnPath(path);
  return `${publicBaseUrl}/auth/login${back === '/' ? '' : `?return=${encodeURIComponent(back)}`}`;
}

/** `/auth/login`, `/auth/callback`, `/auth/logout`. */
export async function respondToSignIn(request: HttpRequest, ports: SignInRoutePorts): Promise<HttpResponse> {
  const reading = request.method === 'GET' || request.method === 'HEAD';
  switch (request.path) {
    case '/auth/login':
      return reading ? begin(request, ports) : methodNotAllowed('GET');
    case '/auth/callback':
      return request.method === 'GET' ? finish(request, ports) : methodNotAllowed('GET');
    case '/auth/logout':
      if (request.method === 'POST') return signOut(request, ports);
      return reading ? signOutPage(ports) : methodNotAllowed('GET, POST');
    default:
      return refusal(nothingHere, request);
  }
}

async function begin(request: HttpRequest, ports: SignInRoutePorts): Promise<HttpResponse> {
  const now = seconds(ports);
  const { attempt, address } = await ports.provider.begin(returnPath(request.query.get('return')), now);
  const name = attemptCookie + attempt.state.slice(0, 12);
  const sealed = (await ports.attemptSeal()).close(attempt, name);
  const held = request.cookies.map((cookie) => cookie.split('=')[0] ?? '').filter((n) => n.startsWith(attemptCookie));
  const dropped = held.length >= maxAttempts ? held : [];
  return redirect(address, [
    hostCookie(name, sealed, attempt.expiresAt - now),
    ...dropped.map((old) => hostCookie(old, '', 0)),
  ]);
}

async function finish(request: HttpRequest, ports: SignInRoutePorts): Promise<HttpResponse> {
  const { signIn, telemetry } = ports;
  const name = attemptCookie + (request.query.get('state') ?? '').slice(0, 12).replace(/[^A-Za-z0-9_-]/g, '');
  const attempt = (await ports.attemptSeal()).open(cookieValue(request.cookies, name) ?? '', name) as
    | SignInAttempt
    | undefined;
  if (attempt === undefined || attempt.expiresAt <= seconds(ports)) {
    // A reload of this page after it did its work: whoever is signed in already just goes on.
    if ((await authenticate(request, signIn)) !== undefined) return redirect(`${ports.publicBaseUrl}/`);
    return refused(ports, 'attempt', '/');
  }
  const issued = await ports.provider.finish(request.query, attempt);
  const claims = issued === undefined ? undefined : await signIn.verifier.verify(issued.idToken);
  if (issued === undefined || claims === undefined) return refused(ports, 'provider', attempt.returnTo, [name]);
  const identity = identityOf(claims, signIn.rules);
  const id = newSessionId();
  const digest = sessionDigest(id);
  if (digest === undefined) throw new Error('session: the new id is not one');
  const now = seconds(ports);
  await signIn.sessions.create({
    digest,
    owner: identity.owner,
    expiresAt: now + sessionSeconds,
    tokensExpireAt: renewalTime(issued, now, signIn.rules.rolesFromToken),
    sealedTokens: (await signIn.tokenSeal()).close(tokensOf(issued), digest),
  });
  await forget(request, signIn);
  telemetry.decision('sign-in', { outcome: 'signed in' });
  return redirect(ports.publicBaseUrl + returnPath(attempt.returnTo), [
    hostCookie(sessionCookie, id, sessionSeconds),
    hostCookie(name, '', 0),
  ]);
}

async function signOut(request: HttpRequest, ports: SignInRoutePorts): Promise<HttpResponse> {
  requireOwnOrigin(request, ports.publicBaseUrl);
  await forget(request, ports.signIn);
  ports.telemetry.decision('sign-in', { outcome: 'signed out' });
  const location = ports.provider.signOutAddress();
  const cookies = [hostCookie(sessionCookie, '', 0)];
  return request.wantsPage ? redirect(location, cookies, 303) : { ...json(200, { location }), cookies };
}

function signOutPage(ports: SignInRoutePorts): HttpResponse {
  return page(
    200,
    {
      title: 'Sign out',
      words: ['Your sign-in ends here and on the sign-in service. Links open again after the next sign-in.'],
      action: { href: `${ports.publicBaseUrl}/auth/logout`, text: 'Sign out', method: 'post' },
    },
    // The browser applies this to where the form's answer leads, too.
    `'self' ${new URL(ports.provider.signOutAddress()).origin}`,
  );
}

/** Ends the session that the request carries: at sign-out, and when a new sign-in takes its place. */
async function forget(request: HttpRequest, signIn: SignInPorts): Promise<void> {
  const digest = sessionDigest(cookieValue(request.cookies, sessionCookie) ?? '');
  if (digest !== undefined) await signIn.sessions.remove(digest);
}

function refused(ports: SignInRoutePorts, reason: string, back: string, used: readonly string[] = []): HttpResponse {
  ports.telemetry.decision('sign-in', { outcome: 'refused', reason });
  const response = page(400, {
    title: 'Sign-in did not work',
    words: ['The sign-in was not completed, took too long, or was started in another browser.'],
    action: { href: signInAddress(ports.publicBaseUrl, back), text: 'Sign in again' },
  });
  return { ...response, cookies: used.map((name) => hostCookie(name, '', 0)) };
}

function seconds(ports: SignInRoutePorts): number {
  return Math.floor(ports.signIn.clock.now().getTime() / 1000);
}
