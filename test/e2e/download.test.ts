import { newId } from '../../core/reference/reference.ts';
import { digest, statusProduced } from './expected.ts';
import { testPlatform } from './platform.ts';
import { rawGet } from './raw-request.ts';

jest.setTimeout(180_000);
const platform = testPlatform();
let link: string;
let ref: string;

beforeAll(async () => {
  const run = await platform.ask('olivia', 'How many services does the status report hold?');
  link = run.links[0]?.download_url ?? '';
  ref = run.links[0]?.ref ?? '';
  expect(link).toBe(`${platform.handle.baseUrl}/results/${ref}`);
});

test('the owner gets exactly what the tool produced, as an attachment that nobody keeps', async () => {
  const owner = await platform.signedIn('olivia');
  const { response, body } = await owner.download(link);
  const produced = statusProduced(platform.handle.examples);
  process.stdout.write(
    `produced   ${produced.sha256} ${produced.bytes} bytes\ndownloaded ${digest(body)} ${body.length} bytes\n`,
  );
  expect(response.status).toBe(200);
  expect(digest(body)).toBe(produced.sha256);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
  expect(response.headers.get('cache-control')).toContain('no-store');
});

test('somebody else’s result answers exactly like one that does not exist', async () => {
  const other = await platform.signedIn('arthur');
  const theirs = await answerOf(await other.request(`/results/${ref}`));
  const unknown = await answerOf(await other.request(`/results/${newId()}/${newId()}`));
  expect(theirs.status).toBe(404);
  expect(theirs).toEqual(unknown);
});

test('the owner’s unknown id answers like a stranger’s', async () => {
  const owner = await platform.signedIn('olivia');
  const other = await platform.signedIn('arthur');
  expect(await answerOf(await owner.request(`/results/${newId()}/${newId()}`))).toEqual(
    await answerOf(await other.request(`/results/${ref}`)),
  );
});

test('ids of another shape are refused', async () => {
  const authorization = `Bearer ${await platform.token('olivia')}`;
  const [session = '', id = ''] = ref.split('/');
  const paths = [
    `/results/${session.slice(1)}/${id}`,
    `/results/${session}/${id.slice(1)}`,
    `/results/${session.toUpperCase()}/${id.toUpperCase()}`,
    `/results/${session}/%2e%2e`,
    `/results/%2e%2e/${id}`,
    `/results/${session}%2f..%2f${session}/${id}`,
    `/results/${session}/${id}%00`,
    `/results/${session}/${id}%0a`,
  ];
  for (const path of paths) {
    const { status } = await rawGet(platform.handle.baseUrl, path, { authorization });
    process.stdout.write(`${status} ${path}\n`);
    expect([path, [400, 404].includes(status)]).toEqual([path, true]);
  }
});

test('nobody gets anything without a token, with a broken one, or with one of another pool', async () => {
  const owner = await platform.signedIn('olivia');
  for (const authorization of ['', 'Bearer', 'Bearer a.b.c', `Bearer ${unsigned()}`]) {
    const response = await owner.request(`/results/${ref}`, { headers: { authorization, accept: 'application/json' } });
    expect(response.status).toBe(401);
    expect(response.headers.get('location')).toBeNull();
  }
});

/** Status, body and headers, without what differs in every answer. */
async function answerOf(response: Response) {
  const varying = new Set([
    'date',
    'apigw-requestid',
    'x-amzn-requestid',
    'x-amz-request-id',
    'x-amz-id-2',
    'x-request-id',
    'x-amz-apigw-id',
  ]);
  const headers = [...response.headers].filter(([name]) => !varying.has(name));
  return { status: response.status, headers: Object.fromEntries(headers), body: await response.text() };
}

/** A token that claims everything and proves nothing. */
function unsigned(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ sub: 'olivia', token_use: 'id', exp: 4_000_000_000 })}.`;
}
