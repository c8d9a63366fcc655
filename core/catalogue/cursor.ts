import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { ClaimcheckError } from '../errors.ts';
import type { OwnerKey } from '../reference/owner-key.ts';

/** The deployment's secret, from which each sealing key is derived: at least 32 bytes, the same in every function. */
export type SealingSecret = Uint8Array;

/** What a cursor is for: one of another list or another query does not open. */
export interface CursorPurpose {
  readonly owner: OwnerKey;
  /** e.g. `chats`, or `results:<tool>`. */
  readonly list: string;
}

const ivBytes = 12;
const tagBytes = 16;
/** A sort key is at most 1,024 bytes (DynamoDB); anything longer was never made here and is not even decoded. */
const maxCursorChars = 2048;

/**
 * Seals the key of the last row read (DESIGN 5.8, 7.2): AES-256-GCM under a key derived per owner, the list's name
 * authenticated with it. The text is opaque, and useless to anyone but that owner and for any other list.
 */
export function sealCursor(secret: SealingSecret, purpose: CursorPurpose, last: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', cursorKey(secret, purpose.owner), iv);
  cipher.setAAD(Buffer.from(purpose.list, 'utf8'));
  const sealed = Buffer.concat([iv, cipher.update(last, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString('base64url');
}

/** The key inside a cursor. Throws `InvalidInput` for one that was altered, made for someone else, or never made here. */
export function openCursor(secret: SealingSecret, purpose: CursorPurpose, cursor: unknown): string {
  if (typeof cursor !== 'string' || cursor.length > maxCursorChars || !/^[A-Za-z0-9_-]+$/.test(cursor)) throw refused();
  const sealed = Buffer.from(cursor, 'base64url');
  // Base64 leaves spare bits in the last letter: only the one spelling that was given out is accepted.
  if (sealed.length <= ivBytes + tagBytes || sealed.toString('base64url') !== cursor) throw refused();
  const decipher = createDecipheriv('aes-256-gcm', cursorKey(secret, purpose.owner), sealed.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(purpose.list, 'utf8'));
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  try {
    const body = sealed.subarray(ivBytes, sealed.length - tagBytes);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch {
    throw refused();
  }
}

function cursorKey(secret: SealingSecret, owner: OwnerKey): Buffer {
  if (secret.byteLength < 32) throw new Error('cursor: the sealing secret needs at least 32 bytes');
  return Buffer.from(hkdfSync('sha256', secret, '', `claimcheck cursor ${owner}`, 32));
}

function refused(): ClaimcheckError {
  return new ClaimcheckError('InvalidInput', 'cursor: not one that this list gave out; start again without a cursor');
}
