import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts small JSON values with authenticated encryption, each bound to the place where it is kept. */
export interface Seal {
  /** AES-256-GCM, base64url of nonce, tag and ciphertext. `place` must be given again to open it. */
  close(value: unknown, place: string): string;
  /** The value, or undefined when it was not sealed here, for this place, by this secret. */
  open(sealed: string, place: string): unknown;
}

/** A seal of its own for each purpose, from the one deployment secret (HKDF-SHA256): at least 32 characters. */
export function seal(secret: string, purpose: string): Seal {
  if (secret.length < 32) throw new Error('secret: expected at least 32 characters');
  const key = Buffer.from(hkdfSync('sha256', secret, 'claimcheck', purpose, 32));
  return {
    close: (value, place) => {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
      const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
    },
    open: (sealed, place) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < 28) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
          .setAAD(Buffer.from(place))
          .setAuthTag(bytes.subarray(12, 28));
        const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
        return JSON.parse(text) as unknown;
      } catch {
        return undefined; // Forged, cut, or sealed elsewhere: all the same to the caller.
      }
    },
  };
}
