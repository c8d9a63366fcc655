import { ClaimcheckError } from '../errors.ts';
import { cookieValue } from '../http/cookies.ts';
import type { HttpRequest } from '../http/request.ts';
import { type Identity, type IdentityRules, identityOf } from '../identity/identity.ts';
import { freshTokenSeconds } from '../identity/token-roles.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import type { Clock } from '../telemetry/telemetry.ts';
import type { Seal } from './seal.ts';
import { type Session, type SessionStore, type SessionTokens, sessionCookie, sessionDigest } from './session.ts';
import type { IssuedTokens, SignInProvider } from './sign-in-provider.ts';

export interface SignInPorts {
  readonly verifier: TokenVerifier;
  readonly sessions: SessionStore;
  /** Made on first use: requests with a bearer token need neither secret nor table. */
  readonly tokenSeal: () => Promise<Seal>;
  readonly provider: Pick<SignInProvider, 'renew'>;
  readonly rules: IdentityRules & {
    /** Roles come from the token itself, so it must be young at every request. */
    readonly rolesFromToken: boolean;
  };
  readonly clock: Clock;
}

/**
 * Who is asking: by `Authorization: Bearer` or by the session cookie. A request with an `Authorization` header stands
 * and falls with it; a bad token never falls back to a cookie. Undefined when nobody is signed in.
 */
export async function authenticate(request: HttpRequest, ports: SignInPorts): Promise<Identity | undefined> {
  const authorization = request.headers['authorization'];
  if (authorization !== undefined) {
    const token = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(authorization)?.[1];
    return token === undefined ? undefined : identified(token, ports);
  }
  const digest = sessionDigest(cookieValue(request.cookies, sessionCookie) ?? '');
  if (digest === undefined) return undefined;
  const session = await ports.sessions.find(digest);
  const now = seconds(ports.clock);
  if (session === undefined || session.expiresAt <= now) return undefined;
  const current = session.tokensExpireAt > now ? session : await renewed(session, ports);
  if (current === undefined) return undefined;
  const tokens = await opened(current, ports);
  if (tokens === undefined) return undefined;
  const identity = await identified(tokens.idToken, ports);
  return identity?.owner === session.owner ? identity : undefined;
}

/** When a session's tokens need renewal: at their end, or earlier when roles are read from them. */
export function renewalTime(issued: IssuedTokens, now: number, rolesFromToken: boolean): number {
  return rolesFromToken ? Math.min(issued.expiresAt, now + freshTokenSeconds - 10) : issued.expiresAt;
}

async function identified(token: string, ports: SignInPorts): Promise<Identity | undefined> {
  const claims = await ports.verifier.verify(token);
  if (claims === undefined) return undefined;
  try {
    return identityOf(claims, ports.rules);
  } catch (error) {
    if (error instanceof ClaimcheckError) return undefined; // A token that names nobody signs nobody in.
    throw error;
  }
}

/** A renewal that the provider refuses ends the session; one that a parallel request has just made is taken over. */
async function renewed(session: Session, ports: SignInPorts): Promise<Session | undefined> {
  const tokens = await opened(session, ports);
  if (tokens?.refreshToken === undefined) return ended(session, ports);
  const issued = await ports.provider.renew(tokens.refreshToken);
  if (issued === undefined) return ended(session, ports);
  const kept: SessionTokens = { refreshToken: tokens.refreshToken, ...tokensOf(issued) };
  const next: Session = {
    ...session,
    tokensExpireAt: renewalTime(issued, seconds(ports.clock), ports.rules.rolesFromToken),
    sealedTokens: (await ports.tokenSeal()).close(kept, session.digest),
  };
  return (await ports.sessions.renew(next, session.tokensExpireAt)) ? next : ports.sessions.find(session.digest);
}

async function ended(session: Session, ports: SignInPorts): Promise<Session | undefined> {
  const other = await ports.sessions.find(session.digest);
  if (other !== undefined && other.tokensExpireAt > seconds(ports.clock)) return other;
  await ports.sessions.end(session.digest);
  return undefined;
}

async function opened(session: Session, ports: SignInPorts): Promise<SessionTokens | undefined> {
  return (await ports.tokenSeal()).open(session.sealedTokens, session.digest) as SessionTokens | undefined;
}

export function tokensOf(issued: IssuedTokens): SessionTokens {
  return {
    idToken: issued.idToken,
    ...(issued.refreshToken === undefined ? {} : { refreshToken: issued.refreshToken }),
  };
}

function seconds(clock: Clock): number {
  return Math.floor(clock.now().getTime() / 1000);
}
