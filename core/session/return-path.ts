/** Longest return path, in characters; a download's is 75. */
const maxLength = 512;

/**
 * The path to come back to after sign-in, or `/`. It is appended to `publicBaseUrl`, so it can never name another
 * host; what could be read as one by a lenient reader (`//host`, `/\host`, dots and encoded control characters) is
 * dropped all the same.
 */
export function returnPath(candidate: string | null | undefined): string {
  if (candidate === null || candidate === undefined || candidate.length > maxLength) return '/';
  if (!/^\/[A-Za-z0-9/_~?=&#-]*$/.test(candidate) || candidate.includes('//')) return '/';
  // Sign-in pages themselves would only lead round in a circle.
  return /^\/auth(\/|\?|#|$)/.test(candidate) ? '/' : candidate;
}
