import { nothingHere, refusal } from './refusal.ts';
import type { HttpRequest } from './request.ts';
import { guardedHeaders, type HttpResponse, redirect } from './response.ts';

export interface WebFile {
  readonly contentType: string;
  readonly text: string;
  /** Changes with the text. */
  readonly digest: string;
  /** Compresses a text, base64. */
  readonly gzip: (text: string) => string;
}

/**
 * What the console's page may do: its own script and style, requests to its own origin, nothing else. Scripts cannot
 * even build markup from text (`require-trusted-types-for`), so no answer or record can become an element.
 */
const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** `/` and `/console/<file>`; any other address is nobody's. A slash at the end of one leads to it without. */
export function respondToWeb(
  request: HttpRequest,
  files: Readonly<Record<string, WebFile>>,
  publicBaseUrl: string,
): HttpResponse {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(nothingHere, request, publicBaseUrl);
  if (request.path === '/') return served(request, page(files, publicBaseUrl), 'no-cache');
  // Some gateways match no route for it; the rest of the path is checked where it leads.
  if (request.trailingSlash && /^(\/[A-Za-z0-9_-]+)+$/.test(request.path)) {
    return redirect(publicBaseUrl + request.path);
  }
  const name = /^\/console\/(app\.(?:js|css))$/.exec(request.path)?.[1];
  const file = name === undefined ? undefined : files[name];
  if (file === undefined) return refusal(nothingHere, request, publicBaseUrl);
  const current = request.query.get('v') === file.digest;
  return served(request, file, current ? 'public, max-age=31536000, immutable' : 'no-cache');
}

/** The page names its base, so that relative addresses hold under any path prefix, and the exact files it belongs to. */
function page(files: Readonly<Record<string, WebFile>>, publicBaseUrl: string): WebFile {
  const index = files['index.html'];
  if (index === undefined) throw new Error('web: index.html is missing');
  const text = index.text
    .replaceAll('%BASE%', () => `${publicBaseUrl}/`)
    .replaceAll('%SCRIPT%', () => files['app.js']?.digest ?? '')
    .replaceAll('%STYLE%', () => files['app.css']?.digest ?? '');
  return { ...index, text };
}

function served(request: HttpRequest, file: WebFile, cacheControl: string): HttpResponse {
  const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  return {
    statusCode: 200,
    headers: {
      ...guardedHeaders,
      'cache-control': cacheControl,
      'content-type': file.contentType,
      'content-security-policy': consolePolicy,
      'cross-origin-opener-policy': 'same-origin',
      vary: 'Accept-Encoding',
      ...(zipped ? { 'content-encoding': 'gzip' } : {}),
    },
    body: zipped ? file.gzip(file.text) : file.text,
    ...(zipped ? { isBase64Encoded: true } : {}),
  };
}
