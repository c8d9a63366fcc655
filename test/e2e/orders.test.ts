import { parse } from 'csv-parse/sync';
import { newId } from '../../core/reference/reference.ts';
import { localOrders } from '../../local/orders-database.ts';
import { testPlatform } from './platform.ts';

jest.setTimeout(300_000);
const platform = testPlatform();

test('a list question is answered with the true total and a link, and the file holds the rows', async () => {
  const run = await platform.ask('olivia', 'How many orders from DE are there?');
  const total = localOrders / 8;
  expect(run.answer).toContain(`${total} orders match.`);
  const [link] = run.links;
  expect(link).toMatchObject({ tool: 'list_orders', state: 'available', records: 100_000 });
  expect(run.answer).toContain(`Download: ${link?.export_url}`);
  const owner = await platform.signedIn('olivia');
  const { response, body } = await owner.download(link?.export_url ?? '');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-disposition')).toContain('orders.csv');
  const rows = parse(body, { bom: true, columns: true }) as Record<string, string>[];
  expect(rows).toHaveLength(100_000);
  expect(new Set(rows.map((row) => row['country']))).toEqual(new Set(['DE']));
});

test('the last of few matches is read from the typed copy, where no guard stands before it', async () => {
  const run = await platform.ask('arthur', 'Which is the last of the orders from IS?');
  expect(run.answer).toContain('1 orders match.');
  expect(run.answer).toContain('"note":"=1+1"');
  expect(run.answer).toContain('"customer":"Zebra Last Ltd"');
  const { body } = await (await platform.signedIn('arthur')).download(run.links[0]?.export_url ?? '');
  expect(Buffer.from(body).toString('utf8')).toContain(",'=1+1,");
});

test('another person’s click on the link answers exactly like a link that never was', async () => {
  const run = await platform.ask('olivia', 'Show the first 5 orders.');
  const path = new URL(run.links[0]?.export_url ?? '').pathname.replace(/^.*\/exports\//, '/exports/');
  const other = await platform.signedIn('arthur');
  const theirs = await answerOf(await other.request(path));
  const unknown = await answerOf(await other.request(`/exports/${newId()}`));
  expect(theirs.status).toBe(404);
  expect(theirs).toEqual(unknown);
});

async function answerOf(response: Response) {
  const varying = /^(date|x-amzn-requestid|x-amz-.*|apigw-requestid|x-request-id)$/;
  const headers = [...response.headers].filter(([name]) => !varying.test(name));
  return { status: response.status, headers: Object.fromEntries(headers), body: await response.text() };
}
