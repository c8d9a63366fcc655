import { seal } from '../../../core/session/seal.ts';

const secret = 's'.repeat(32);

test('what was sealed opens again, for its own place and purpose only', () => {
  const tokens = seal(secret, 'tokens');
  const sealed = tokens.close({ idToken: 'a.b.c' }, 'here');
  expect(tokens.open(sealed, 'here')).toEqual({ idToken: 'a.b.c' });
  expect(tokens.open(sealed, 'there')).toBeUndefined();
  expect(seal(secret, 'attempt').open(sealed, 'here')).toBeUndefined();
  expect(seal('t'.repeat(32), 'tokens').open(sealed, 'here')).toBeUndefined();
});

test('a changed bit anywhere, a cut and plain nonsense do not open', () => {
  const box = seal(secret, 'tokens');
  const bytes = Buffer.from(box.close({ a: 1 }, 'p'), 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(box.open(changed.toString('base64url'), 'p')).toBeUndefined();
  }
  for (const text of ['', 'x', bytes.subarray(0, 27).toString('base64url'), '€€€']) {
    expect(box.open(text, 'p')).toBeUndefined();
  }
});

test('the same value is never sealed to the same text, and shows nothing of itself', () => {
  const box = seal(secret, 'tokens');
  const [one, other] = [box.close('visible?', 'p'), box.close('visible?', 'p')];
  expect(one).not.toBe(other);
  expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('visible?');
});

test('a secret that is too short is refused at the start', () => {
  expect(() => seal('short', 'tokens')).toThrow('at least 32');
});
