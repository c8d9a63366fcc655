import type { RunResponse } from '../../core/http/responses.ts';
import type { FaultKind, PassingRequest } from '../../local/fault-proxy.ts';
import { flightRows } from '../../tools/flights/rows.ts';
import { digest, flightsProduced, statusProduced } from './expected.ts';
import { FaultyFunctions } from './faulty-functions.ts';
import { testPlatform } from './platform.ts';

// Real functions in processes of their own, and a proxy between them and the emulator.
jest.setTimeout(240_000);
const platform = testPlatform();
const { examples, emulatorUrl } = platform.handle;
const faulty = new FaultyFunctions(
  emulatorUrl,
  ['call-model', 'run-tool', 'save-turn', 'tool-service-status'].map((name) => `claimcheck-${name}`),
);
const { proxy } = faulty;
const table: string[] = [];
let injected = 0;

beforeAll(() => faulty.start());
afterAll(async () => {
  await faulty.stop();
  process.stdout.write(`\n${injected} faults injected into functions of the platform\n${table.join('\n')}\n`);
});

/** Asks under a plan of faults and waits for the end, whatever it is. */
async function ask(message: string, plan: (request: PassingRequest) => FaultKind | undefined): Promise<RunResponse> {
  proxy.restart();
  proxy.plan = (request) => {
    const kind = request.asker === undefined ? undefined : plan(request);
    if (kind !== undefined) injected += 1;
    return kind;
  };
  const run = await (await platform.signedIn('olivia')).ask('assistant', message);
  proxy.plan = () => undefined;
  return run;
}

/** Every link of a run opens, to the very bytes that its tool made. */
async function whole(run: RunResponse): Promise<void> {
  const made: Record<string, string> = {
    flights: flightsProduced(examples).sha256,
    service_status: statusProduced(examples).sha256,
  };
  const client = await platform.signedIn('olivia');
  for (const { tool, download_url } of run.links) {
    const { body } = await client.download(download_url ?? '');
    expect({ tool, sha256: digest(body) }).toEqual({ tool, sha256: made[tool ?? ''] });
  }
}

const transient: readonly FaultKind[] = ['throttle', 'error', 'cut', 'lose', 'slow'];

test('one request in seven fails: answers and files are the same', async () => {
  for (const [message, answer] of [
    ['How many flights are there?', `${flightRows} flights`],
    ['How many services does the status report hold, and what does the last one say?', `${examples.records} services`],
  ] as const) {
    let asked = 0;
    const run = await ask(message, () => {
      asked += 1;
      return asked % 7 === 0 ? transient[(asked / 7) % transient.length] : undefined;
    });
    table.push(`every 7th of ${asked} requests: ${run.status}`);
    expect(run).toMatchObject({ status: 'succeeded' });
    expect(run.answer).toContain(answer);
    expect(run.links).toHaveLength(1);
    await whole(run);
  }
});

test('a run after all that is like any other', async () => {
  const run = await ask('How many flights are there?', () => undefined);
  expect(run.answer).toContain(`${flightRows} flights`);
  await whole(run);
});
