import * as z from 'zod/mini';

/** The part of an API Gateway event (payload 2.0) that is read here. Everything in it comes from outside. */
const gatewayEvent = z.object({
  rawPath: z.string(),
  rawQueryString: z._default(z.string(), ''),
  cookies: z.optional(z.array(z.string())),
  headers: z._default(z.record(z.string(), z.optional(z.string())), {}),
  requestContext: z.object({
    stage: z._default(z.string(), '$default'),
    http: z.object({ method: z.string() }),
  }),
  body: z.optional(z.string()),
  isBase64Encoded: z._default(z.boolean(), false),
});

/** An HTTP request in plain words. Header names are lower case; the path has neither stage nor trailing slash. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** The path as it came ended in a slash. */
  readonly trailingSlash: boolean;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** `name=value` texts, from the event's own list and from a cookie header alike. */
  readonly cookies: readonly string[];
  readonly body: string;
  /** A person's browser is asking: failures are pages and not JSON. */
  readonly wantsPage: boolean;
}

/** Reads a gateway event. Throws zod's error for anything that is not one. */
export function httpRequest(event: unknown): HttpRequest {
  const parsed = gatewayEvent.parse(event);
  const headers = Object.fromEntries(
    Object.entries(parsed.headers).map(([name, value]) => [name.toLowerCase(), value ?? '']),
  );
  return {
    method: parsed.requestContext.http.method.toUpperCase(),
    path: pathWithin(parsed.rawPath, parsed.requestContext.stage),
    trailingSlash: parsed.rawPath.length > 1 && parsed.rawPath.endsWith('/'),
    query: new URLSearchParams(parsed.rawQueryString),
    headers,
    cookies: [...(parsed.cookies ?? []), ...(headers['cookie'] ?? '').split(';')].map((cookie) => cookie.trim()),
    body: parsed.isBase64Encoded ? Buffer.from(parsed.body ?? '', 'base64').toString('utf8') : (parsed.body ?? ''),
    wantsPage: /\btext\/html\b/i.test(headers['accept'] ?? ''),
  };
}

/** A named stage stands before the path in payload 2.0; `/a/` and `/a` are one address. */
function pathWithin(rawPath: string, stage: string): string {
  const prefix = `/${stage}`;
  const inner = rawPath === prefix || rawPath.startsWith(`${prefix}/`) ? rawPath.slice(prefix.length) : rawPath;
  return inner.length > 1 && inner.endsWith('/') ? inner.slice(0, -1) : inner || '/';
}
