import { readFileSync } from 'node:fs';
import path from 'node:path';
import { cookieValue, hostCookie } from '../../../core/http/cookies.ts';
import { httpRequest } from '../../../core/http/request.ts';

const { rows } = JSON.parse(readFileSync(path.join(__dirname, '../../fixtures/cases/cookies.json'), 'utf8')) as {
  rows: { cookies?: string[]; headers: Record<string, string>; session?: null }[];
};

function event(row: { cookies?: string[]; headers: Record<string, string> }) {
  return { rawPath: '/', requestContext: { http: { method: 'GET' } }, ...row };
}

test.each(rows.map((row) => [JSON.stringify(row), row] as const))('%s', (_text, row) => {
  const found = cookieValue(httpRequest(event(row)).cookies, 'sid');
  if (row.session === null) expect(found).toBeUndefined();
  else expect(found).toBe(row.cookies?.includes('sid=a=b==') ? 'a=b==' : 'abc');
});

test('two different cookies of one name are trusted less than none', () => {
  const cookies = ['sid=own', 'sid=planted'];
  expect(cookieValue(httpRequest(event({ cookies, headers: {} })).cookies, 'sid')).toBeUndefined();
  expect(cookieValue(['sid=own', 'sid=own'], 'sid')).toBe('own');
});

test('a cookie of ours obeys the __Host- rules', () => {
  const cookie = hostCookie('__Host-claimcheck', 'v', 60);
  expect(cookie.split('; ').sort()).toEqual(
    ['HttpOnly', 'Max-Age=60', 'Path=/', 'SameSite=Lax', 'Secure', '__Host-claimcheck=v'].sort(),
  );
  expect(cookie).not.toMatch(/domain/i);
});
