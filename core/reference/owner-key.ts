import { createHash } from 'node:crypto';
import { ClaimcheckError } from '../errors.ts';

/** The key part that stands for one person everywhere: `results/<owner>/…`, table partitions, logs' hash. */
export type OwnerKey = string & { readonly __brand: 'OwnerKey' };

/**
 * The owner's key part (DESIGN 6): ASCII-lower-cased, percent-encoded identity. With `caseSensitive` a digest of
 * the exact identity is added, so two subjects that differ only in case never share a prefix.
 * Throws `Forbidden` for an empty or ill-formed identity and for the words that a missing claim turns into.
 */
export function ownerKey(identity: unknown, options: { readonly caseSensitive?: boolean } = {}): OwnerKey {
  if (typeof identity !== 'string' || identity.trim() === '' || /^(undefined|null)$/i.test(identity.trim())) {
    throw new ClaimcheckError('Forbidden', 'owner: expected the subject of a verified token, found none');
  }
  // Halves of surrogate pairs all become the same bytes: two such identities would share one prefix.
  if (/\p{Surrogate}/u.test(identity)) {
    throw new ClaimcheckError('Forbidden', 'owner: expected a subject that is well-formed text');
  }
  const folded = identity.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const encoded = Array.from(Buffer.from(folded, 'utf8'), (byte) =>
    (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x2d || byte === 0x5f
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
  // S3 keys hold 1,024 bytes; long identities keep a readable head and a digest that tells them apart.
  const short = encoded.length > 200 ? `${encoded.slice(0, 120).replace(/%.?$/, '')}~${digest(folded)}` : encoded;
  return (options.caseSensitive ? `${short}.${digest(identity)}` : short) as OwnerKey;
}

function digest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 32);
}
