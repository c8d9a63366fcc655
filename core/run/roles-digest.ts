import { createHash } from 'node:crypto';

/** SHA-256 over the sorted, de-duplicated roles, hex. JSON keeps role names with any character apart. */
export function rolesDigest(roles: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([...new Set(roles)].sort()))
    .digest('hex');
}
