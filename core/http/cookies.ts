/**
 * The value of the cookie with exactly this name, of those that a request carries as `name=value` texts. Two cookies
 * of one name are ambiguous (one of them may have been planted by another host), and answer undefined.
 */
export function cookieValue(cookies: readonly string[], name: string): string | undefined {
  const prefix = `${name}=`;
  const values = new Set(cookies.filter((cookie) => cookie.startsWith(prefix)).map((c) => c.slice(prefix.length)));
  return values.size === 1 ? [...values][0] : undefined;
}

/**
 * A `Set-Cookie` value under the `__Host-` rules: Secure, Path=/, no Domain; unreadable to scripts. SameSite=Lax lets
 * a click on a link in a mail or chat bring the cookie along, and keeps it out of cross-site posts.
 */
export function hostCookie(name: string, value: string, maxAgeSeconds: number): string {
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;
}
