import { ClaimcheckError } from '../errors.ts';
import { type OwnerKey, ownerKey } from '../reference/owner-key.ts';
import { groupsOf } from './group-claim.ts';

/** A person as a verified token names them. Made from claims whose signature, issuer, audience and expiry were checked. */
export interface Identity {
  readonly owner: OwnerKey;
  readonly subject: string;
  /**
   * What role look-ups take; never part of a key. Cognito's own user name, which nobody can change; with any other
   * provider the subject, since `preferred_username` is the person's to choose.
   */
  readonly username: string;
  /** Seconds since the epoch: when the provider issued the token. 0 when the token does not say. */
  readonly issuedAt: number;
  /** Groups as the token lists them; only the role source `token` believes them, and only while the token is young. */
  readonly claimedGroups: readonly string[];
}

export interface IdentityRules {
  readonly kind: 'cognito' | 'oidc';
  /** Subjects that differ only in case are different people (DESIGN 6). */
  readonly caseSensitive?: boolean;
  /** The claim that lists groups, e.g. `cognito:groups`. */
  readonly rolesClaim?: string;
}

/**
 * The person that verified claims name. Only `sub` makes an owner: an e-mail address may be unverified or reused, and
 * a user name may be given to somebody else later. Throws `Forbidden` for claims without a usable subject.
 */
export function identityOf(claims: Readonly<Record<string, unknown>>, rules: IdentityRules): Identity {
  const subject = claims['sub'];
  if (typeof subject !== 'string') {
    throw new ClaimcheckError('Forbidden', 'identity: the token names no subject');
  }
  const owner = ownerKey(subject, rules.caseSensitive === undefined ? {} : { caseSensitive: rules.caseSensitive });
  const names = rules.kind === 'cognito' ? [claims['cognito:username'], claims['username']] : [];
  const username = names.find((name): name is string => typeof name === 'string' && name !== '') ?? subject;
  const issuedAt = claims['iat'];
  return {
    owner,
    subject,
    username,
    issuedAt: typeof issuedAt === 'number' && Number.isFinite(issuedAt) ? issuedAt : 0,
    claimedGroups: groupsOf(claims[rules.rolesClaim ?? 'cognito:groups']),
  };
}
