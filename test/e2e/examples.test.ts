import { digest, lastService, statusProduced } from './expected.ts';
import { testPlatform } from './platform.ts';

jest.setTimeout(300_000);
const platform = testPlatform();
const other = { records: 12_345, seed: 7 };

afterAll(() => platform.redeploy(platform.handle.examples));

test('another seed and another number of records give another count and digest, and the answer follows', async () => {
  await platform.redeploy(other);
  const run = await platform.ask(
    'olivia',
    'How many services does the status report hold, and what does the last one say?',
  );
  expect(run.answer).toContain('12345 services');
  expect(run.answer).toContain(lastService(other).id);
  const { body } = await (await platform.signedIn('olivia')).download(run.links[0]?.download_url ?? '');
  const produced = statusProduced(other);
  process.stdout.write(`12345 records, seed 7: SHA-256 ${produced.sha256}\n`);
  expect(digest(body)).toBe(produced.sha256);
  expect(produced.sha256).not.toBe(statusProduced(platform.handle.examples).sha256);
});
