import fc from 'fast-check';
import { returnPath } from '../../../core/session/return-path.ts';

const id = '0123456789abcdef0123456789abcdef';

test.each(['/', `/results/${id}/${id}`, `/exports/${id}`, '/chats?cursor=abc_-', '/#/results'])(
  '%s is kept',
  (path) => {
    expect(returnPath(path)).toBe(path);
  },
);

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example',
  '\\\\evil.example',
  '/%2f%2fevil.example',
  '/results//evil.example',
  'javascript:alert(1)',
  '/\t/evil.example',
  '/results\r\nSet-Cookie: a=b',
  '/@evil.example',
  '/.evil.example/..',
  'results',
  '',
  ' /',
  '/auth/login?return=/x',
  '/auth/logout',
  `/${'a'.repeat(600)}`,
])('%j leads to the start page', (path) => {
  expect(returnPath(path)).toBe('/');
});

test('whatever is asked for, the address stays ours', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => {
      const address = new URL(`https://claimcheck.example/stage${returnPath(`/${text}`)}`);
      return address.origin === 'https://claimcheck.example' && address.pathname.startsWith('/stage/');
    }),
    { numRuns: 1_000 },
  );
});
