import type { ChatResponse, RunResponse } from '../../core/http/responses.ts';
import type { ServiceClient } from '../../local/service-client.ts';
import { digest } from './expected.ts';
import { killPoints } from './kill-points.ts';
import { KilledRuns, named, type Question, until } from './killed-runs.ts';
import { testPlatform } from './platform.ts';
import { computing, counting, noting, reading, researching } from './questions.ts';
import { workers } from './workers.ts';

// Every function that has a part in a run is ended in the middle of it, by its process id or by its time limit, before
// and after what it does; afterwards everything that the run has left is looked at.
jest.setTimeout(300_000);
const platform = testPlatform();
const { examples, folder } = platform.handle;

const services = counting(examples.records);

/** Function → what is asked while it is ended. Tools are executed again; a step of the flow ends its run with words. */
const asked: Readonly<Record<string, { readonly question: Question; readonly again: boolean }>> = {
  'call-model': { question: reading, again: false },
  'run-tool': { question: reading, again: false },
  'save-turn': { question: reading, again: false },
  'list-results': { question: reading, again: true },
  'read-result': { question: reading, again: true },
  'analyze-result': { question: computing, again: true },
  'tool-service-status': { question: services, again: true },
  'post-tool-hook': { question: noting, again: false },
  'hand-off': { question: researching, again: false },
  'close-run': { question: noting, again: true },
};
const runs = new KilledRuns(platform, Object.keys(asked));
beforeAll(() => runs.start());
afterAll(() => runs.stop());

const probes = new Map<Question, Promise<ReadonlyMap<string, readonly string[]>>>();

/** The requests that each function makes in a run without faults, of each question once. */
function probe(question: Question): Promise<ReadonlyMap<string, readonly string[]>> {
  const made =
    probes.get(question) ??
    runs.requests(async () => {
      const { run } = await runs.ask(question);
      expect(run).toMatchObject({ status: 'succeeded' });
      expect(run.answer).toMatch(question.answer);
    });
  probes.set(question, made);
  return made;
}

async function pointsOf(name: string, question: Question) {
  return killPoints((await probe(question)).get(named(name)) ?? []);
}

/** Asks under the plan, looks at what is left, opens every link. */
async function survives(question: Question, again: boolean, row: readonly string[], ended = () => runs.deaths) {
  const { run, olivia } = await runs.ask(question);
  await until(() => ended() > 0);
  runs.calm();
  await runs.examined(run.runId, question, row);
  expect({ row, ended: ended() }).toEqual({ row, ended: 1 });
  if (again) expect({ row, status: run.status }).toEqual({ row, status: 'succeeded' });
  if (run.status === 'succeeded') expect(run.answer).toMatch(question.answer);
  else await failedInWords(run, olivia);
  for (const { tool, download_url } of run.links) {
    const { response, body } = await olivia.download(download_url ?? '');
    expect({ tool, status: response.status }).toEqual({ tool, status: 200 });
    const sha256 = runs.produced[tool ?? ''];
    if (sha256 !== undefined) expect({ tool, sha256: digest(body) }).toEqual({ tool, sha256 });
  }
}

/** Case H072: the failed turn stands in its chat, with a sentence for its person and nothing of a program's. */
async function failedInWords(run: RunResponse, olivia: ServiceClient): Promise<void> {
  const chat = (await (await olivia.request(`/chats/${run.session}`)).json()) as ChatResponse;
  const [turn, ...others] = chat.turns;
  expect(others).toEqual([]);
  expect(turn).toMatchObject({ runId: run.runId, status: 'failed', failure: run.failure });
  for (const text of [run.failure, turn?.failure]) {
    expect(text).not.toMatch(/\bat \S+ ?\(|\bError\b|RequestId|Runtime\.|\.(?:m?js|ts):\d|arn:/);
    expect((text ?? '').length).toBeLessThanOrEqual(200);
  }
  expect(run.failure).toMatch(/^[A-Z].*\.$/);
}

test.each(Object.entries(asked))('%s is killed before and after what it does', async (name, { question, again }) => {
  const points = await pointsOf(name, question);
  expect(points.length).toBeGreaterThan(1);
  for (const point of points) {
    runs.kill(name, point);
    await survives(question, again, [name, point.kind, `${point.place}, ${point.occurrence}`]);
  }
});

test('the engine of an analysis is killed: the answer says so, and the next one is computed', async () => {
  runs.plan(({ asker, place }) => {
    // Its inputs come by signed addresses: the request names no process.
    if (asker !== undefined || place !== 's3 GET body' || runs.deaths > 0) return undefined;
    for (const { pid } of workers(named('analysis-engine'), folder)) process.kill(pid, 'SIGKILL');
    runs.deaths += 1;
    return 'cut';
  });
  const { run } = await runs.ask(computing);
  runs.calm();
  await runs.examined(run.runId, computing, ['analysis-engine', 'die-before', 's3 GET body, 1']);
  expect(runs.deaths).toBe(1);
  expect(run).toMatchObject({ status: 'succeeded' });
  expect(run.answer).toContain('analyze_result failed: AnalysisLimit');
  expect((await runs.ask(computing)).run.answer).toMatch(computing.answer);
});

test.each(['run-tool', 'read-result', 'hand-off'])('%s hangs until its time is over', async (name) => {
  const { question, again } = asked[name] as (typeof asked)[string];
  const [point] = await pointsOf(name, question);
  await runs.faulty.limit(named(name), 15);
  let hanging = 0;
  runs.plan(({ asker, place }) => {
    if (asker !== named(name) || place !== point?.place || hanging > 0) return undefined;
    hanging += 1;
    return 'hang';
  });
  try {
    await survives(question, again, [name, 'time limit', `${point?.place}, 1`], () => hanging);
  } finally {
    await runs.faulty.limit(named(name));
  }
});

test('a tool that is killed every time was executed three times, and the answer says that it failed', async () => {
  const name = 'tool-service-status';
  const [point] = await pointsOf(name, services);
  runs.plan(({ asker, place }) => (asker === named(name) && place === point?.place ? 'die-before' : undefined));
  const { run } = await runs.ask(services);
  runs.calm();
  await runs.examined(run.runId, services, [name, 'die-before', `${point?.place}, every time`]);
  expect(runs.deaths).toBe(3);
  expect(run).toMatchObject({ status: 'succeeded', links: [] });
  expect(run.answer).toContain('service_status failed');
});
