import { createHmac } from 'node:crypto';
import { newId } from '../../../core/reference/reference.ts';
import { newSessionId } from '../../../core/session/session.ts';
import { OidcProvider } from '../../fakes/oidc-provider.ts';
import { PeopleApp } from '../../fakes/people-app.ts';
import { TableServer } from '../../fakes/table-server.ts';
import { nowSeconds, TokenMaker } from '../../fakes/token-maker.ts';

const provider = new OidcProvider();
const tables = new TableServer();
const stranger = new TokenMaker();
let app: PeopleApp;
const own = { kind: 'result', session: newId(), id: newId() } as const;
const theirs = { kind: 'result', session: newId(), id: newId() } as const;
const expired = { kind: 'result', session: newId(), id: newId() } as const;
const csv = { kind: 'export', id: newId() } as const;
const foreignTool = { kind: 'export', id: newId() } as const;
const { session, id } = own;
const path = `/results/${session}/${id}`;

beforeAll(async () => {
  await provider.start();
  app = new PeopleApp(provider, await tables.start(), await tables.table('sessions'));
  app.objects.put('olivia', own);
  app.objects.put('arthur', theirs);
  app.objects.put('olivia', expired, { availableUntil: '2020-01-01T00:00:00Z' });
  app.objects.put('olivia', csv);
  app.objects.put('olivia', foreignTool, { tools: ['a_tool_that_is_gone'] });
});
afterAll(() => {
  provider.stop();
  tables.stop();
});

interface Hostile {
  readonly name: string;
  readonly path?: string;
  /** Default: a good token of olivia's. null: none. */
  readonly token?: (() => string) | null;
  readonly headers?: Record<string, string>;
  readonly cookies?: readonly string[];
  readonly method?: string;
  readonly stage?: string;
  readonly status: number;
  /** Looks at storage that it may cost. */
  readonly looks?: number;
}

const good = () => provider.idToken('olivia');
const claims = () => ({ iss: provider.url, aud: 'console', sub: 'olivia', iat: nowSeconds(), exp: nowSeconds() + 60 });
const header = (token: string) => ({ authorization: `Bearer ${token}` });
const groups = Array.from({ length: 300 }, (_, n) => `group-${n}`);

const table: readonly Hostile[] = [
  // What must work, beside what must not.
  { name: 'own result', status: 302, looks: 1 },
  { name: 'own export', path: `/exports/${csv.id}`, status: 302, looks: 1 },
  { name: 'HEAD of an own result', method: 'HEAD', status: 302, looks: 1 },
  { name: 'trailing slash', path: `${path}/`, status: 302, looks: 1 },
  { name: 'stage in the path', path: `/prod${path}`, stage: 'prod', status: 302, looks: 1 },
  {
    name: '300 groups in the token',
    token: () => provider.idToken('olivia', { 'cognito:groups': groups }),
    status: 302,
    looks: 1,
  },
  // Other people's, and the caller's own that is closed.
  { name: 'another person’s result', path: `/results/${theirs.session}/${theirs.id}`, status: 404, looks: 1 },
  { name: 'unknown result', path: `/results/${newId()}/${newId()}`, status: 404, looks: 1 },
  { name: 'own id under another session', path: `/results/${theirs.session}/${id}`, status: 404, looks: 1 },
  { name: 'a result’s id as an export', path: `/exports/${id}`, status: 404, looks: 1 },
  { name: 'own, expired', path: `/results/${expired.session}/${expired.id}`, status: 410, looks: 1 },
  { name: 'own, of a tool that is gone', path: `/exports/${foreignTool.id}`, status: 403, looks: 1 },
  // Ids and paths.
  { name: '31 digits', path: `/results/${session}/${id.slice(1)}`, status: 404 },
  { name: '33 digits', path: `/results/${session}/${id}0`, status: 404 },
  {
    name: 'upper case',
    path: `/results/${session.toUpperCase()}/${id.toUpperCase().replace(/\d/g, 'A')}`,
    status: 404,
  },
  { name: 'dots as an id', path: `/results/${session}/..`, status: 404 },
  { name: 'encoded dots', path: `/results/${session}/%2e%2e`, status: 404 },
  { name: 'doubly encoded dots', path: `/results/${session}/%252e%252e`, status: 404 },
  { name: 'encoded slash', path: `/results/${session}%2f${id}`, status: 404 },
  { name: 'traversal to another owner', path: `/results/../arthur/${theirs.session}/${theirs.id}`, status: 404 },
  { name: 'owner in the path', path: `/results/arthur/${theirs.session}/${theirs.id}`, status: 404 },
  { name: 'body in the path', path: `${path}/body`, status: 404 },
  { name: 'NUL', path: `${path}%00`, status: 404 },
  { name: 'line end', path: `${path}%0d%0aX: y`, status: 404 },
  { name: 'wildcard', path: `/results/${session}/*`, status: 404 },
  { name: 'letters of other scripts', path: `/results/${session}/${id.replace(/[a-f]/g, 'а')}х`, status: 404 },
  { name: 'only a session', path: `/results/${session}`, status: 404 },
  { name: 'owner as a query', path: `/results/${theirs.session}/${theirs.id}?owner=arthur`, status: 404, looks: 1 },
  // Methods.
  { name: 'POST', method: 'POST', status: 405 },
  { name: 'DELETE', method: 'DELETE', status: 405 },
  // Tokens.
  { name: 'no token', token: null, status: 401 },
  { name: 'algorithm none', token: () => provider.tokens.sign(claims(), { alg: 'none' }), status: 401 },
  { name: 'HMAC with the public key as secret', token: () => hmacToken(), status: 401 },
  { name: 'another key', token: () => stranger.sign(claims()), status: 401 },
  {
    name: 'another key under the right id',
    token: () => stranger.sign(claims(), { kid: provider.tokens.kid }),
    status: 401,
  },
  { name: 'a key of its own in the header', token: () => stranger.sign(claims(), { jwk: stranger.jwk }), status: 401 },
  {
    name: 'a key set of its own in the header',
    token: () => stranger.sign(claims(), { jku: 'http://127.0.0.1:9/jwks' }),
    status: 401,
  },
  {
    name: 'another issuer',
    token: () => provider.tokens.sign({ ...claims(), iss: 'https://evil.example' }),
    status: 401,
  },
  { name: 'another audience', token: () => provider.tokens.sign({ ...claims(), aud: 'another-app' }), status: 401 },
  { name: 'no audience', token: () => provider.tokens.sign({ ...claims(), aud: undefined }), status: 401 },
  {
    name: 'expired a second ago',
    token: () => provider.tokens.sign({ ...claims(), exp: nowSeconds() - 1 }),
    status: 401,
  },
  { name: 'not valid yet', token: () => provider.tokens.sign({ ...claims(), nbf: nowSeconds() + 60 }), status: 401 },
  { name: 'no end', token: () => provider.tokens.sign({ ...claims(), exp: undefined }), status: 401 },
  { name: 'no subject', token: () => provider.tokens.sign({ ...claims(), sub: undefined }), status: 401 },
  {
    name: 'a subject called undefined',
    token: () => provider.tokens.sign({ ...claims(), sub: 'undefined' }),
    status: 401,
  },
  { name: 'a list as the subject', token: () => provider.tokens.sign({ ...claims(), sub: ['olivia'] }), status: 401 },
  { name: 'claims changed after signing', token: () => changed(), status: 401 },
  { name: 'signature cut off', token: () => good().replace(/[^.]+$/, ''), status: 401 },
  { name: 'only two parts', token: () => good().split('.').slice(0, 2).join('.'), status: 401 },
  { name: 'twelve kilobytes of nothing', token: () => 'a'.repeat(12_000), status: 401 },
  // Other ways to say who one is.
  { name: 'Basic', token: null, headers: { authorization: 'Basic b2xpdmlhOng=' }, status: 401 },
  { name: 'two tokens in one header', token: () => `${good()}, Bearer ${good()}`, status: 401 },
  { name: 'a token in the query', token: null, path: `${path}?access_token=x`, status: 401 },
  { name: 'a forged gateway header', token: null, headers: { 'x-amzn-oidc-identity': 'olivia' }, status: 401 },
  // Cookies.
  {
    name: 'a session id that was never given out',
    token: null,
    cookies: [`__Host-claimcheck=${newSessionId()}`],
    status: 401,
  },
  { name: 'a token as the session', token: null, cookies: ['__Host-claimcheck=a.b.c'], status: 401 },
  { name: 'the cookie without its prefix', token: null, cookies: [`claimcheck=${newSessionId()}`], status: 401 },
  { name: 'an id that is a key', token: null, cookies: ['__Host-claimcheck=owner#olivia'], status: 401 },
  {
    name: 'a bad token beside a cookie',
    token: () => 'a.b.c',
    cookies: [`__Host-claimcheck=${newSessionId()}`],
    status: 401,
  },
];

const outcomes: string[] = [];
afterAll(() => {
  process.stdout.write(`\nHostile requests (${table.length}):\n${outcomes.join('\n')}\n`);
});

test.each(table.map((row) => [row.name, row] as const))('%s', async (name, row) => {
  const before = app.objects.looks.length;
  const token = row.token === null ? {} : header((row.token ?? good)());
  const response = await app.request(row.path ?? path, {
    headers: { ...token, ...row.headers },
    ...(row.cookies === undefined ? {} : { cookies: row.cookies }),
    ...(row.method === undefined ? {} : { method: row.method }),
    ...(row.stage === undefined ? {} : { stage: row.stage }),
  });
  const looks = app.objects.looks.slice(before);
  outcomes.push(`  ${name.padEnd(42)} ${response.statusCode}  looks at storage: ${looks.length}`);
  expect({ status: response.statusCode, looks: looks.length }).toEqual({ status: row.status, looks: row.looks ?? 0 });
  // Whatever is asked, only the caller's own prefix is looked at, and only a success leads anywhere.
  for (const key of looks) expect(key).toMatch(/^(results|exports)\/olivia\//);
  if (row.status !== 302) {
    expect(response.headers['location']).toBeUndefined();
    expect(response.body).not.toContain('olivia');
  }
});

test('a role that is gone closes the link at the next click; given back, it opens', async () => {
  app.rolesOf = async () => [];
  expect((await app.request(path, { headers: header(good()) })).statusCode).toBe(403);
  app.rolesOf = async () => ['ops'];
  expect((await app.request(path, { headers: header(good()) })).statusCode).toBe(302);
  app.rolesOf = async () => Promise.reject(new Error('down'));
  expect((await app.request(path, { headers: header(good()) })).statusCode).toBe(503);
  app.rolesOf = async () => ['ops'];
});

test('another person’s, an unknown and a deleted id answer alike, byte for byte and in time', async () => {
  const token = header(provider.idToken('arthur'));
  const paths = [path, `/results/${newId()}/${newId()}`, `/results/${own.session}/${newId()}`];
  for (const accept of ['application/json', 'text/html']) {
    const answers = await Promise.all(paths.map((each) => app.request(each, { headers: { ...token, accept } })));
    expect(answers[0]?.statusCode).toBe(404);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  }
  const times = paths.map((): number[] => []);
  for (let round = 0; round < 1_000; round += 1) {
    for (const [at, each] of paths.entries()) {
      const began = process.hrtime.bigint();
      await app.request(each, { headers: token });
      times[at]?.push(Number(process.hrtime.bigint() - began) / 1e6);
    }
  }
  const medians = times.map((list) => list.sort((a, b) => a - b)[500] ?? 0);
  process.stdout.write(
    `medians of 1,000 in ms: theirs, unknown, deleted: ${medians.map((m) => m.toFixed(3)).join(', ')}\n`,
  );
  expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(1.05);
  // The decision's own time, key set cached: far below 20 ms.
  expect(Math.max(...medians)).toBeLessThan(20);
});

/** The classic confusion: the public key, which everybody has, used as an HMAC secret. */
function hmacToken(): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', kid: provider.tokens.kid })}.${part(claims())}`;
  return `${signed}.${createHmac('sha256', JSON.stringify(provider.tokens.jwk)).update(signed).digest('base64url')}`;
}

function changed(): string {
  const [head, , signature] = provider.idToken('arthur').split('.');
  return `${head}.${Buffer.from(JSON.stringify(claims())).toString('base64url')}.${signature}`;
}
