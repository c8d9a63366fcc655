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
  expect(picture.response.headers.get('content-type')).toBe('image/png');
  expect(picture.response.headers.get('content-disposition')).toMatch(/^attachment; filename="chart\.png"/);
  expect(run.links).toContainEqual(expect.objectContaining({ file_name: 'chart.png', picture_type: 'image/png' }));
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

test('both pictures stand in the catalogue as what they are, and are saved under their names', async () => {
  await platform.ask('olivia', 'Which region has the most failing services, and chart it?');
  const olivia = await platform.signedIn('olivia');
  const rows = (await olivia.catalog()).filter(({ tool }) => tool === 'analyze_result');
  for (const [type, name, sent] of [
    ['image/png', 'chart.png', 'image/png'],
    // It could run as a page, so that it is sent as plain bytes.
    ['image/svg+xml', 'chart.svg', 'application/octet-stream'],
  ] as const) {
    const row = rows.find(({ picture_type }) => picture_type === type);
    expect(row).toMatchObject({ file_name: name, kind: null, records: null, bytes: expect.any(Number) });
    const { response, body } = await olivia.download(row?.download_url ?? '');
    expect(body.length).toBe(row?.bytes);
    expect(response.headers.get('content-type')).toBe(sent);
    expect(response.headers.get('content-disposition')).toContain(`filename="${name}"`);
    const view = await olivia.request(`/results/${row?.ref}/view`);
    expect(await view.json()).toMatchObject({ picture_type: type, text: null, table: null });
  }
});

test('an answer larger than a function hands over is kept whole, by the engine’s own upload', async () => {
  const sql = 'SELECT *, region AS again FROM data ORDER BY id';
  const run = await platform.ask(
    'olivia',
    `call service_status with {}\nthen\ncall analyze_result with ${JSON.stringify({ inputs: { data: '$ref' }, sql, keep: true })}`,
  );
  expect(run.answer).toContain('analyze_result answered: {"columns":["id",');
  const olivia = await platform.signedIn('olivia');
  const row = (await olivia.catalog()).find(({ file_name }) => file_name === 'analysis.ndjson');
  expect(row).toMatchObject({ kind: 'ndjson', records: examples.records, tool: 'analyze_result' });
  expect(run.links).toContainEqual(expect.objectContaining({ ref: row?.ref }));
  const { body, response } = await olivia.download(row?.download_url ?? '');
  expect(response.headers.get('content-type')).toContain('application/x-ndjson');
  expect(response.headers.get('content-disposition')).toContain('filename="analysis.ndjson"');
  expect(body.length).toBeGreaterThan(6 * 1024 * 1024);
  expect(digest(body)).toBe(row?.sha256);
  const lines = Buffer.from(body).toString('utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(examples.records);
  const last = [...services(examples)].sort((a, b) => (a.id < b.id ? -1 : 1)).at(-1);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ id: last?.id, status: last?.status, again: last?.region });
  // Somebody without the source's role opens neither.
  const arthur = await (await platform.signedIn('arthur')).download(row?.download_url ?? '');
  expect(arthur.response.status).toBe(404);
});
