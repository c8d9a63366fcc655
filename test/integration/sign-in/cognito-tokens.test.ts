import { jwtVerifier } from '../../../aws/jwt-verifier.ts';
import { OidcProvider } from '../../fakes/oidc-provider.ts';
import { nowSeconds } from '../../fakes/token-maker.ts';

const provider = new OidcProvider();
beforeAll(() => provider.start());
afterAll(() => provider.stop());

const verifier = () =>
  jwtVerifier({
    kind: 'cognito',
    issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abc',
    clientId: 'console',
    jwksUri: `${provider.url}/jwks`,
    local: true,
  });
const token = (claims: Record<string, unknown>) =>
  provider.tokens.sign({
    iss: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abc',
    sub: 's-1',
    iat: nowSeconds(),
    exp: nowSeconds() + 60,
    ...claims,
  });

test.each([
  ['an access token of our client', { token_use: 'access', client_id: 'console' }, true],
  ['an ID token of our client', { token_use: 'id', aud: 'console' }, true],
  ['an access token of another client', { token_use: 'access', client_id: 'other' }, false],
  [
    'an access token of another client that names us as audience',
    { token_use: 'access', client_id: 'other', aud: 'console' },
    false,
  ],
  ['an ID token of another client', { token_use: 'id', aud: 'other' }, false],
  ['an ID token for us that names us only as client', { token_use: 'id', client_id: 'console' }, false],
  ['an ID token for a list of clients', { token_use: 'id', aud: ['console', 'other'] }, false],
  ['a refresh token', { token_use: 'refresh', client_id: 'console' }, false],
  ['a token without its use', { client_id: 'console', aud: 'console' }, false],
  [
    'another pool',
    {
      token_use: 'access',
      client_id: 'console',
      iss: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abd',
    },
    false,
  ],
])('%s', async (_name, claims, accepted) => {
  expect((await verifier().verify(token(claims))) !== undefined).toBe(accepted);
});

test('the key set is loaded once for many tokens', async () => {
  const one = verifier();
  const before = provider.requests.length;
  for (let n = 0; n < 5; n += 1) await one.verify(token({ token_use: 'access', client_id: 'console' }));
  expect(provider.requests.length - before).toBe(1);
});

test('a key set that cannot be loaded is an outage, not a bad token', async () => {
  const rules = { kind: 'oidc', issuer: 'i', clientId: 'console', local: true } as const;
  for (const jwksUri of [`${provider.url}/nothing`, 'http://127.0.0.1:9/jwks']) {
    await expect(jwtVerifier({ ...rules, jwksUri }).verify(token({}))).rejects.toThrow();
  }
});

test('plain http is refused everywhere but on the local platform', async () => {
  const rules = { kind: 'oidc', issuer: 'i', clientId: 'console', jwksUri: `${provider.url}/jwks` } as const;
  await expect(jwtVerifier(rules).verify(token({}))).rejects.toThrow();
});
