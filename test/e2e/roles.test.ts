import { testPlatform } from './platform.ts';

jest.setTimeout(180_000);
const platform = testPlatform();

afterAll(() => platform.users.give('olivia', 'ops'));

test('a role taken away closes the link at the next click; given back, it opens', async () => {
  const run = await platform.ask('olivia', 'How many services does the status report hold?');
  const link = run.links[0]?.download_url ?? '';
  const owner = await platform.signedIn('olivia');
  expect((await owner.download(link)).response.status).toBe(200);

  await platform.users.take('olivia', 'ops');
  // The same token: what it says about roles no longer counts.
  const refused = await owner.request(new URL(link).pathname.slice(new URL(platform.handle.baseUrl).pathname.length));
  expect(refused.status).toBe(403);
  expect(refused.headers.get('location')).toBeNull();
  expect(await refused.json()).toMatchObject({ code: 'RoleRevoked' });
  expect((await owner.run(run.runId)).answer).toBeNull();
  const row = (await owner.catalog()).find(({ ref }) => ref === run.links[0]?.ref);
  expect(row).toMatchObject({ state: 'not_allowed', records: null, sha256: null, download_url: null });

  await platform.users.give('olivia', 'ops');
  expect((await owner.download(link)).response.status).toBe(200);
});
