/** What a handler answers; the gateway's payload 2.0 shape. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

/**
 * On every answer of ours: nothing personal stays in a cache, no address leaks by a referrer, nothing is sniffed or
 * framed. `Vary` because the same address answers a browser with a page and a program with JSON.
 */
export const guardedHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'strict-transport-security': 'max-age=31536000',
  vary: 'Accept, Authorization, Cookie',
} as const;

export function json(statusCode: number, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return {
    statusCode,
    headers: { ...guardedHeaders, 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

/** 302 for a GET; 303 turns a POST into a GET. */
export function redirect(location: string, cookies?: readonly string[], statusCode: 302 | 303 = 302): HttpResponse {
  return {
    statusCode,
    headers: { ...guardedHeaders, location },
    ...(cookies === undefined ? {} : { cookies }),
    body: '',
  };
}
