import type { HttpResponse } from '../../../core/http/response.ts';
import { newId } from '../../../core/reference/reference.ts';
import { sessionCookie, sessionDigest } from '../../../core/session/session.ts';
import { OidcProvider } from '../../fakes/oidc-provider.ts';
import { baseUrl, PeopleApp } from '../../fakes/people-app.ts';
import { TableServer } from '../../fakes/table-server.ts';

const provider = new OidcProvider();
const tables = new TableServer();
let app: PeopleApp;
let tokenApp: PeopleApp;
const target = { kind: 'result', session: newId(), id: newId() } as const;
const path = `/results/${target.session}/${target.id}`;
const browser = { accept: 'text/html' };

beforeAll(async () => {
  await provider.start();
  const documents = await tables.start();
  app = new PeopleApp(provider, documents, await tables.table('sessions'));
  tokenApp = new PeopleApp(provider, documents, await tables.table('token-sessions'), true);
  for (const each of [app, tokenApp]) each.objects.put('olivia', target);
});
beforeEach(() => {
  provider.claims = {};
  provider.lifetime = 3600;
  provider.refreshes = 'work';
  for (const each of [app, tokenApp]) each.now = () => new Date();
});
afterAll(() => {
  provider.stop();
  tables.stop();
});

/** `name=value` of each cookie that an answer sets, deletions left out. */
function jar(response: HttpResponse): string[] {
  return (response.cookies ?? [])
    .filter((cookie) => !cookie.includes('Max-Age=0'))
    .map((cookie) => cookie.split(';')[0] ?? '');
}

/** Path and query of an address of ours. */
function inside(address: string | undefined): string {
  expect(address?.startsWith(`${baseUrl}/`)).toBe(true);
  return (address ?? '').slice(baseUrl.length);
}

/** Signs in as a browser does, and answers where it ends and the cookies that it holds then. */
async function signIn(subject: string, start: string, on = app): Promise<{ location: string; cookies: string[] }> {
  const begun = await on.request(start, { headers: browser });
  const back = provider.approve(begun.headers['location'] ?? '', subject);
  const finished = await on.request(inside(back), { headers: browser, cookies: jar(begun) });
  expect(finished.statusCode).toBe(302);
  return { location: finished.headers['location'] ?? '', cookies: jar(finished) };
}

test('a click without a sign-in goes to the provider’s page, comes back to the download, and gets it', async () => {
  const click = await app.request(path, { headers: browser });
  expect(click.statusCode).toBe(302);
  const login = inside(click.headers['location']);
  expect(login).toBe(`/auth/login?return=${encodeURIComponent(path)}`);
  const { location, cookies } = await signIn('olivia', login);
  expect(location).toBe(baseUrl + path);
  const file = await app.request(inside(location), { headers: browser, cookies });
  expect(file).toMatchObject({
    statusCode: 302,
    headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  });
  expect(file.headers['location']).toMatch(/^https:\/\/bucket\.example\/results\/olivia\//);
  expect(file.cookies).toBeUndefined();
});

test('the request to the provider is a code request with PKCE, state and nonce, and the cookie is sealed', async () => {
  const begun = await app.request('/auth/login', { headers: browser });
  const query = new URL(begun.headers['location'] ?? '').searchParams;
  expect(Object.fromEntries(query)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    redirect_uri: `${baseUrl}/auth/callback`,
    client_id: 'console',
  });
  const [cookie = ''] = begun.cookies ?? [];
  expect(cookie).toMatch(
    /^__Host-claimcheck-signin-[\w-]{12}=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
  );
  expect(cookie).not.toContain(query.get('state'));
  for (const secret of ['state', 'nonce', 'code_challenge']) {
    expect(Buffer.from(cookie.split('=')[1] ?? '', 'base64url').toString('latin1')).not.toContain(query.get(secret));
  }
});

test('the table knows neither the cookie nor a token', async () => {
  const { cookies } = await signIn('olivia', '/auth/login');
  const id = cookies[0]?.slice(`${sessionCookie}=`.length) ?? '';
  expect(id).toMatch(/^[\w-]{43}$/);
  const session = await app.signIn.sessions.find(sessionDigest(id) ?? '');
  expect(session).toMatchObject({ owner: 'olivia' });
  expect(JSON.stringify(session)).not.toContain(id);
  expect(JSON.stringify(session)).not.toMatch(/eyJ[\w-]+\.eyJ/);
});

test('two tabs can sign in at once', async () => {
  const one = await app.request('/auth/login?return=/exports/a', { headers: browser });
  const other = await app.request('/auth/login?return=/exports/b', { headers: browser, cookies: jar(one) });
  const both = [...jar(one), ...jar(other)];
  for (const [begun, end] of [
    [other, '/exports/b'],
    [one, '/exports/a'],
  ] as const) {
    const back = provider.approve(begun.headers['location'] ?? '', 'olivia');
    const finished = await app.request(inside(back), { headers: browser, cookies: both });
    expect(finished.headers['location']).toBe(baseUrl + end);
  }
});

test('attempts that were left behind never fill the headers', async () => {
  const held = Array.from({ length: 6 }, (_, n) => `__Host-claimcheck-signin-${String(n).padStart(12, 'x')}=v`);
  const begun = await app.request('/auth/login', { headers: browser, cookies: held });
  expect((begun.cookies ?? []).filter((cookie) => cookie.includes('Max-Age=0'))).toHaveLength(6);
});

test('a code works once, in the browser that asked for it, within its time', async () => {
  const begun = await app.request('/auth/login', { headers: browser });
  const back = inside(provider.approve(begun.headers['location'] ?? '', 'olivia'));
  const stranger = await app.request('/auth/login', { headers: browser });
  const refusals = [
    await app.request(back, { headers: browser }),
    await app.request(back, { headers: browser, cookies: jar(stranger) }),
    await app.request(back.replace(/state=[^&]+/, 'state=other'), { headers: browser, cookies: jar(begun) }),
  ];
  app.now = () => new Date(Date.now() + 601_000);
  refusals.push(await app.request(back, { headers: browser, cookies: jar(begun) }));
  app.now = () => new Date();
  for (const refusal of refusals) {
    expect(refusal.statusCode).toBe(400);
    expect(jar(refusal)).toEqual([]);
  }
  expect((await app.request(back, { headers: browser, cookies: jar(begun) })).statusCode).toBe(302);
  expect((await app.request(back, { headers: browser, cookies: jar(begun) })).statusCode).toBe(400);
});

test.each([
  ['another nonce', { nonce: 'other' }],
  ['another issuer', { iss: 'https://evil.example' }],
  ['another client', { aud: 'somebody-else' }],
  ['no subject', { sub: '' }],
  ['an end in the past', { exp: 1 }],
])('a token with %s signs nobody in', async (_name, claims) => {
  provider.claims = claims;
  const begun = await app.request('/auth/login', { headers: browser });
  const back = inside(provider.approve(begun.headers['location'] ?? '', 'olivia'));
  const refusal = await app.request(back, { headers: browser, cookies: jar(begun) });
  expect([400, 403]).toContain(refusal.statusCode);
  expect(jar(refusal).filter((cookie) => cookie.startsWith(`${sessionCookie}=`))).toEqual([]);
});

test('signing out ends the session on the server, needs our own origin, and leads to the provider', async () => {
  const { cookies } = await signIn('olivia', '/auth/login');
  const out = (headers: Record<string, string>) => app.request('/auth/logout', { method: 'POST', headers, cookies });
  for (const origin of [{}, { origin: 'https://evil.example' }, { origin: 'null' }]) {
    expect((await out(origin)).statusCode).toBe(403);
  }
  expect((await app.request('/auth/logout', { headers: browser, cookies })).statusCode).toBe(200);
  expect((await app.request(path, { headers: browser, cookies })).headers['location']).toMatch(/bucket/);
  const done = await out({ origin: baseUrl });
  expect(done.statusCode).toBe(200);
  expect(JSON.parse(done.body).location).toMatch(/\/logout\?client_id=console&post_logout_redirect_uri=/);
  expect(done.cookies).toEqual([expect.stringMatching(/^__Host-claimcheck=; .*Max-Age=0$/)]);
  // The cookie that somebody kept is worth nothing now.
  expect((await app.request(path, { headers: browser, cookies })).headers['location']).toContain('/auth/login');
});

test('a new sign-in ends the session before it', async () => {
  const { cookies: old } = await signIn('olivia', '/auth/login');
  const begun = await app.request('/auth/login', { headers: browser, cookies: old });
  const back = inside(provider.approve(begun.headers['location'] ?? '', 'olivia'));
  await app.request(back, { headers: browser, cookies: [...old, ...jar(begun)] });
  expect((await app.request(path, { headers: {}, cookies: old })).statusCode).toBe(401);
});

test('tokens are renewed when they end; refused by the provider, the session is over; an outage is neither', async () => {
  const { cookies } = await signIn('olivia', '/auth/login');
  const later = (seconds: number) => {
    app.now = () => new Date(Date.now() + seconds * 1000);
  };
  later(3_601);
  const before = provider.requests.filter((request) => request === 'POST /token').length;
  expect((await app.request(path, { cookies })).statusCode).toBe(302);
  expect((await app.request(path, { cookies })).statusCode).toBe(302);
  provider.refreshes = 'down';
  expect(provider.requests.filter((request) => request === 'POST /token').length).toBeGreaterThan(before);
  later(7_300);
  expect((await app.request(path, { cookies })).statusCode).toBe(503);
  provider.refreshes = 'refused';
  expect((await app.request(path, { cookies })).statusCode).toBe(401);
  provider.refreshes = 'work';
  expect((await app.request(path, { cookies })).statusCode).toBe(401);
});

test('a session ends after its eight hours, whatever the table still holds', async () => {
  const { cookies } = await signIn('olivia', '/auth/login');
  app.now = () => new Date(Date.now() + 8 * 3600 * 1000 + 1000);
  expect((await app.request(path, { cookies })).statusCode).toBe(401);
});

test('where roles come from the token, it is renewed before it is five minutes old', async () => {
  const { cookies } = await signIn('olivia', '/auth/login', tokenApp);
  const before = provider.requests.filter((request) => request === 'POST /token').length;
  expect((await tokenApp.request(path, { cookies })).statusCode).toBe(302);
  expect(provider.requests.filter((request) => request === 'POST /token').length).toBe(before);
  tokenApp.now = () => new Date(Date.now() + 295_000);
  expect((await tokenApp.request(path, { cookies })).statusCode).toBe(302);
  expect(provider.requests.filter((request) => request === 'POST /token').length).toBe(before + 1);
});

test('an owner’s sign-ins can be found and removed', async () => {
  const { cookies } = await signIn('pauline', '/auth/login');
  await signIn('pauline', '/auth/login');
  const digests = await app.signIn.sessions.ofOwner('pauline' as never);
  expect(digests).toHaveLength(2);
  for (const digest of digests) await app.signIn.sessions.remove(digest);
  expect(await app.signIn.sessions.ofOwner('pauline' as never)).toEqual([]);
  expect((await app.request(path, { cookies })).statusCode).toBe(401);
});
