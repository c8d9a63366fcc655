import { gunzipSync, gzipSync } from 'node:zlib';
import { nothingHere, refusal } from '../../../core/http/refusal.ts';
import { httpRequest } from '../../../core/http/request.ts';
import { respondToWeb, type WebFile } from '../../../core/http/web-routes.ts';

const file = (contentType: string, text: string): WebFile => ({
  contentType,
  text,
  digest: 'd1',
  gzip: (served) => gzipSync(served).toString('base64'),
});
const files = {
  'index.html': file('text/html', '<base href="%BASE%"><script src="console/app.js?v=%SCRIPT%">'),
  'app.js': file('text/javascript', 'js'),
  'app.css': file('text/css', 'css'),
};
const base = 'https://host.example/prefix';
const ask = (rawPath: string, method = 'GET', headers: Record<string, string> = {}, rawQueryString = '') =>
  respondToWeb(httpRequest({ rawPath, rawQueryString, headers, requestContext: { http: { method } } }), files, base);

test('the page names its base and its exact script, under a policy without exceptions', () => {
  const answer = ask('/');
  expect(answer.body).toContain(`<base href="${base}/">`);
  expect(answer.body).toContain('app.js?v=d1');
  const policy = answer.headers['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});

test('files are kept for ever under their digest, and asked for anew without it', () => {
  expect(ask('/console/app.js', 'GET', {}, 'v=d1').headers['cache-control']).toContain('immutable');
  expect(ask('/console/app.js', 'GET', {}, 'v=old').headers['cache-control']).toBe('no-cache');
});

test('files are compressed for whoever takes it', () => {
  const answer = ask('/console/app.css', 'GET', { 'accept-encoding': 'br, gzip' });
  expect(answer).toMatchObject({ isBase64Encoded: true, headers: { 'content-encoding': 'gzip' } });
  expect(gunzipSync(Buffer.from(answer.body, 'base64')).toString()).toBe('css');
});

test.each([
  '/console/../app.js',
  '/console/index.html',
  '/console/',
  '/console/app.ts',
  '/nothing',
  '/console/%2e%2e/x',
])('%s is the one 404', (path) => {
  const request = httpRequest({ rawPath: path, requestContext: { http: { method: 'GET' } } });
  const answer = ask(path);
  if (!request.trailingSlash) expect(answer).toEqual(refusal(nothingHere, request, base));
});

test('a slash at the end leads to the same address without it, and to no other host', () => {
  expect(ask('/results/a/b/')).toMatchObject({ statusCode: 302, headers: { location: `${base}/results/a/b` } });
  for (const path of ['//evil.example/', '/\\evil.example/', '/a//b/', '/%0d%0a/'])
    expect(ask(path).statusCode).toBe(404);
});

test('other methods find nothing', () => {
  for (const method of ['POST', 'DELETE', 'PUT']) expect(ask('/', method).statusCode).toBe(404);
});
