import { httpRequest } from '../../../core/http/request.ts';

const read = (rawPath: string, stage = '$default', more: object = {}) =>
  httpRequest({ rawPath, requestContext: { stage, http: { method: 'get' } }, ...more });

test.each([
  ['/runs', '$default', '/runs', false],
  ['/runs/', '$default', '/runs', true],
  ['/prod/runs', 'prod', '/runs', false],
  ['/prod', 'prod', '/', false],
  ['/prod/', 'prod', '/', false],
  ['/production/runs', 'prod', '/production/runs', false],
  ['/', '$default', '/', false],
])('%s on stage %s is the path %s', (rawPath, stage, path, trailingSlash) => {
  expect(read(rawPath, stage)).toMatchObject({
    path,
    method: 'GET',
    trailingSlash: trailingSlash || rawPath === '/prod/',
  });
});

test('header names are read in any case, a browser is told from a program', () => {
  const request = read('/', '$default', { headers: { Accept: 'text/html,application/xhtml+xml', ORIGIN: 'x' } });
  expect(request.wantsPage).toBe(true);
  expect(request.headers['origin']).toBe('x');
  expect(read('/', '$default', { headers: { accept: '*/*' } }).wantsPage).toBe(false);
});

test('a body in base64 is read as text', () => {
  const body = Buffer.from('{"a":"ü"}').toString('base64');
  expect(read('/', '$default', { body, isBase64Encoded: true }).body).toBe('{"a":"ü"}');
});

test('what is no gateway event is refused', () => {
  for (const event of [null, {}, { rawPath: 7 }, { rawPath: '/', requestContext: {} }]) {
    expect(() => httpRequest(event)).toThrow();
  }
});
