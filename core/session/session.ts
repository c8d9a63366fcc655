import { createHash, randomBytes } from 'node:crypto';
import type { OwnerKey } from '../reference/owner-key.ts';

/** Seconds that a sign-in lasts at most, whatever the provider's tokens say: one working day. */
export const sessionSeconds = 8 * 3600;

export const sessionCookie = '__Host-claimcheck';

/** The provider's tokens of one sign-in. They stay on the server, encrypted. */
export interface SessionTokens {
  readonly idToken: string;
  readonly refreshToken?: string;
}

/** One sign-in, kept under the SHA-256 of the cookie's random id: who reads the table cannot sign in with it. */
export interface Session {
  readonly digest: string;
  readonly owner: OwnerKey;
  /** Seconds since the epoch. After it the session is over, deleted or not. */
  readonly expiresAt: number;
  /** Seconds since the epoch: when the tokens need renewal. */
  readonly tokensExpireAt: number;
  /** `SessionTokens`, sealed. */
  readonly sealedTokens: string;
}

export interface SessionStore {
  /** Create-only: a digest is never taken over. */
  create(session: Session): Promise<void>;
  /** Read consistently: a session that was deleted is gone at the next request. */
  find(digest: string): Promise<Session | undefined>;
  /** Replaces the tokens if they are still the ones that expire at `previousExpiry`. False when somebody else was first. */
  renew(session: Session, previousExpiry: number): Promise<boolean>;
  /** Makes it worthless where it stands, for functions that may not delete: no tokens, over now. */
  end(digest: string): Promise<void>;
  remove(digest: string): Promise<void>;
  /** An owner's sign-ins, for erasure. */
  ofOwner(owner: OwnerKey): Promise<readonly string[]>;
}

/** 256 random bits, base64url. */
export function newSessionId(): string {
  return randomBytes(32).toString('base64url');
}

/** The key of a session, or undefined for a text that no session id can be. */
export function sessionDigest(id: string): string | undefined {
  return /^[A-Za-z0-9_-]{43}$/.test(id) ? createHash('sha256').update(id).digest('hex') : undefined;
}
