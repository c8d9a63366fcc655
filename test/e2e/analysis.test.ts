import { writeFileSync } from 'node:fs';
import { services } from '../../tools/service-status/report.ts';
import { digest, statusProduced } from './expected.ts';
import { testPlatform } from './platform.ts';

jest.setTimeout(240_000);
const platform = testPlatform();
const { examples } = platform.handle;

/** Failing services by region, counted here from the same data and not by way of the platform. */
function failingByRegion(): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { region, status } of services(examples)) {
    if (status === 'failing') counts.set(region, (counts.get(region) ?? 0) + 1);
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

test('which region has the most failing services, and chart it: exact numbers, and a picture for its owner', async () => {
  const run = await platform.ask('olivia', 'Which region has the most failing services, and chart it?');
  const expected = failingByRegion();
  expect(run.answer).toContain(JSON.stringify(expected));
  const link = /Chart: (\S+)/.exec(run.answer ?? '')?.[1] ?? '';
  // The link stands beside the answer too, put there by code.
  expect(run.links).toContainEqual(expect.objectContaining({ tool: 'analyze_result', download_url: link }));
  const olivia = await platform.signedIn('olivia');
  const picture = await olivia.download(link);
  const png = Buffer.from(picture.body);
  expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
  expect(png.readUInt32BE(16)).toBeGreaterThan(800);
  const target = process.env['CLAIMCHECK_E2E_PICTURE'];
  if (target !== undefined) writeFileSync(target, png);
  // Nobody else opens it, and the stored copy is what it was.
  const arthur = await (await platform.signedIn('arthur')).download(link);
  expect(arthur.response.status).toBe(404);
  const source = run.links.find(({ tool }) => tool === 'service_status');
  const { body } = await olivia.download(source?.download_url ?? '');
  expect(digest(body)).toBe(statusProduced(examples).sha256);
});
