import { newId } from '../../core/reference/reference.ts';
import type { ServiceClient } from '../../local/service-client.ts';
import { digest, statusProduced } from './expected.ts';
import { testPlatform } from './platform.ts';

jest.setTimeout(180_000);
const platform = testPlatform();
let olivia: ServiceClient;
let ref = '';

beforeAll(async () => {
  olivia = await platform.signedIn('olivia');
  const run = await platform.ask('olivia', 'How many services does the status report hold?');
  ref = run.links[0]?.ref ?? '';
});

test('HEAD answers as GET does, without a body', async () => {
  const [get, head] = [
    await olivia.request(`/results/${ref}`),
    await olivia.request(`/results/${ref}`, { method: 'HEAD' }),
  ];
  expect([get.status, head.status]).toEqual([302, 302]);
  expect(await head.text()).toBe('');
  for (const name of ['cache-control', 'referrer-policy', 'x-content-type-options']) {
    expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  }
  expect(get.headers.get('cache-control')).toBe('no-store');
  expect(get.headers.get('referrer-policy')).toBe('no-referrer');
});

test('a slash at the end is the same address', async () => {
  const response = await olivia.request(`/results/${ref}/`);
  const location = response.headers.get('location') ?? '';
  expect(response.status).toBe(302);
  expect(location === `${platform.handle.baseUrl}/results/${ref}` || location.includes('X-Amz-Signature')).toBe(true);
});

test('the object’s own address lives a minute, opens one object, in ranges too, and nothing beside it', async () => {
  const target = (await olivia.request(`/results/${ref}`)).headers.get('location') ?? '';
  const address = new URL(target);
  expect(address.searchParams.get('X-Amz-Expires')).toBe('60');
  expect(address.pathname.endsWith(`/${ref}/body`)).toBe(true);
  const part = await fetch(target, { headers: { range: 'bytes=-100' } });
  expect(part.status).toBe(206);
  const whole = Buffer.from(await (await fetch(target)).arrayBuffer());
  expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(-100));
  expect(digest(whole)).toBe(statusProduced(platform.handle.examples).sha256);
});

test('a client that follows by itself takes no token along to the object', async () => {
  const token = await platform.users.token('olivia', platform.handle.passwords.olivia);
  const followed = await fetch(`${platform.handle.baseUrl}/results/${ref}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(followed.status).toBe(200);
  const target = (await olivia.request(`/results/${ref}`)).headers.get('location') ?? '';
  expect(target).not.toContain(token.slice(0, 40));
  expect(decodeURIComponent(target)).not.toMatch(/authorization|cookie/i);
});

test('the view of a result passes the same gate as its download', async () => {
  const arthur = await platform.signedIn('arthur');
  const answers = [];
  for (const path of [
    `/results/${ref}/view`,
    `/results/${newId()}/${newId()}/view`,
    `/results/${ref.toUpperCase()}/view`,
  ]) {
    const response = await arthur.request(path);
    answers.push([response.status, await response.text()].join(' '));
  }
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toMatch(/^404 /);
  const view = (await (await olivia.request(`/results/${ref}/view`)).json()) as {
    table: { shown: number; total: number };
  };
  expect(view.table).toMatchObject({ shown: 50, total: platform.handle.examples.records });
});

test('changes by cookie need our own origin; programs with a token do not', async () => {
  const post = (headers: Record<string, string>) =>
    fetch(`${platform.handle.baseUrl}/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
  expect((await post({ origin: new URL(platform.handle.baseUrl).origin })).status).toBe(401);
  const token = await platform.users.token('olivia', platform.handle.passwords.olivia);
  expect((await post({ authorization: `Bearer ${token}` })).status).toBe(400);
});

test('a run cannot be started for somebody else, and a repeated start is the same run', async () => {
  const body = {
    agent: 'assistant',
    message: 'How many services does the status report hold?',
    idempotencyKey: newId(),
  };
  const start = (more: object) =>
    olivia.request('/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ...more }),
    });
  for (const forged of [
    { owner: 'arthur' },
    { roles: ['admin'] },
    { runId: newId() },
    { session: '../x' },
    { agent: 'none' },
  ]) {
    expect([forged, (await start(forged)).status]).toEqual([forged, 400]);
  }
  const [first, second] = [await start({}), await start({})];
  expect([first.status, second.status]).toEqual([202, 202]);
  const [one, other] = [await first.json(), await second.json()] as {
    runId: string;
    session: string;
    created: boolean;
  }[];
  expect(other).toEqual({ ...one, created: false });
  const arthur = await platform.signedIn('arthur');
  expect((await arthur.request(`/runs/${one?.runId}`)).status).toBe(404);
  await olivia.finished(one?.runId ?? '');
});
