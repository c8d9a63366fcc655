import { largestPayload, statesTable } from '../../local/execution-states.ts';
import { flightRows } from '../../tools/flights/rows.ts';
import { digest, flightsProduced, lastService, notesProduced, statusProduced } from './expected.ts';
import { testPlatform } from './platform.ts';
import { workerMemory } from './workers.ts';

jest.setTimeout(180_000);
const platform = testPlatform();
const { examples } = platform.handle;

test('the assistant names the true number of services, what the last one says, and a link to the whole', async () => {
  const run = await platform.ask(
    'olivia',
    'How many services does the status report hold, and what does the last one say?',
  );
  const last = lastService(examples);
  expect(run.answer).toContain(`${examples.records} services`);
  expect(run.answer).toContain(last.id);
  expect(run.answer).toContain(last.region);
  const [link] = run.links;
  expect(link).toMatchObject({ tool: 'service_status', state: 'available', records: examples.records });
  const { body } = await (await platform.signedIn('olivia')).download(link?.download_url ?? '');
  expect(digest(body)).toBe(statusProduced(examples).sha256);
});

test('the wrapper stores 14.8 MB in a function that stays under 512 MB', async () => {
  await platform.ask('olivia', 'How many services does the status report hold?');
  const peak = workerMemory('claimcheck-tool-service-status', platform.handle.folder);
  process.stdout.write(`tool-service-status: ${Math.round(peak / 1024 ** 2)} MiB\n`);
  expect(peak).toBeLessThan(512 * 1024 ** 2);
});

test('no state of the flow carries more than 2 KiB, however large the result', async () => {
  const run = await platform.ask('olivia', 'Compare the service status with the flights.');
  const states = await platform.states('assistant', run.runId);
  process.stdout.write(`${statesTable(states)}\n`);
  expect(states.length).toBeGreaterThan(5);
  expect(largestPayload(states)).toBeLessThan(2 * 1024);
  expect(run.links.map(({ tool }) => tool).sort()).toEqual(['flights', 'service_status']);
});

test('flights come in through run-tool: the whole answer of the tool is kept, byte for byte', async () => {
  const run = await platform.ask('arthur', 'How many flights are there?');
  expect(run.answer).toContain(`${flightRows} flights`);
  const { body } = await (await platform.signedIn('arthur')).download(run.links[0]?.download_url ?? '');
  expect(digest(body)).toBe(flightsProduced(examples).sha256);
});

test('a foreign flow passes its tool’s text through the hook once, and states are small behind it', async () => {
  const run = await platform.ask('arthur', 'Which notes are there?', 'notes');
  const produced = notesProduced(examples);
  const [link] = run.links;
  expect(link).toMatchObject({ tool: 'search_notes', bytes: produced.bytes, unit: 'lines' });
  const { body } = await (await platform.signedIn('arthur')).download(link?.download_url ?? '');
  expect(digest(body)).toBe(produced.sha256);
  const large = (await platform.states('notes', run.runId)).filter(
    ({ inputBytes, outputBytes }) => Math.max(inputBytes, outputBytes ?? 0) > 24 * 1024,
  );
  expect(large.length).toBeLessThanOrEqual(2);
});
