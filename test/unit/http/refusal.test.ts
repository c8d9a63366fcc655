import { ClaimcheckError, type ErrorCode, errorCodes } from '../../../core/errors.ts';
import { requireOwnOrigin } from '../../../core/http/origin.ts';
import { refusal, statusOf, unauthenticated } from '../../../core/http/refusal.ts';
import { httpRequest } from '../../../core/http/request.ts';

const codes = Object.keys(errorCodes) as ErrorCode[];

test('every code has its one status', () => {
  expect(Object.keys(statusOf).sort()).toEqual([...codes].sort());
  expect([statusOf.NotFound, statusOf.Expired, statusOf.RoleRevoked, statusOf.RolesUnavailable]).toEqual([
    404, 410, 403, 503,
  ]);
});

test.each([true, false])('everything that is 404 reads alike, word for word (page: %s)', (wantsPage) => {
  const answers = codes
    .filter((code) => statusOf[code] === 404)
    .map((code) => JSON.stringify(refusal(new ClaimcheckError(code, `about ${code}`, { code }), { wantsPage })));
  expect(answers.length).toBeGreaterThan(1);
  expect(new Set(answers).size).toBe(1);
});

test('pages escape what they are told and allow no script', () => {
  const answer = refusal(new ClaimcheckError('RoleRevoked', '<script>alert("1")</script>'), { wantsPage: true });
  expect(answer.body).not.toContain('<script');
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
});

test('no answer of ours stays in a cache or tells where somebody came from', () => {
  for (const answer of [unauthenticated(), refusal(new ClaimcheckError('Expired', 'x'), { wantsPage: true })]) {
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  }
});

test.each([
  [{ origin: 'https://claimcheck.example' }, true],
  [{ origin: 'https://claimcheck.example:443' }, false],
  [{ origin: 'https://claimcheck.example.evil.example' }, false],
  [{ origin: 'http://claimcheck.example' }, false],
  [{ origin: 'null' }, false],
  [{}, false],
  [{ referer: 'https://claimcheck.example/' }, false],
  [{ authorization: 'Bearer x' }, true],
])('a change with the headers %j passes: %s', (headers, passes) => {
  const request = httpRequest({ rawPath: '/runs', headers, requestContext: { http: { method: 'POST' } } });
  const check = () => requireOwnOrigin(request, 'https://claimcheck.example/prefix');
  if (passes) expect(check).not.toThrow();
  else expect(check).toThrow(ClaimcheckError);
});
