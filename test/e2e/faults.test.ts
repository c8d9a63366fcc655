import { type FaultKind, faultKinds } from '../../local/fault-proxy.ts';
import { digest } from './expected.ts';
import { KilledRuns, type Question } from './killed-runs.ts';
import { testPlatform } from './platform.ts';
import { counting, noting, reading, researching } from './questions.ts';

// Real functions in processes of their own, and a proxy between them and the emulator: faults that pass by themselves.
jest.setTimeout(300_000);
const platform = testPlatform();
const functions = [
  ...['call-model', 'run-tool', 'save-turn', 'tool-service-status', 'post-tool-hook', 'hand-off'],
  ...['list-results', 'read-result'],
];
const runs = new KilledRuns(platform, functions);
/** `function kind` → how often it was met. */
const met = new Map<string, number>();
beforeAll(() => runs.start());
afterAll(async () => {
  await runs.stop();
  const lines = [...met].sort().map(([place, times]) => `${String(times).padStart(4)}  ${place}`);
  process.stdout.write(`\n${total()} faults injected into functions of the platform\n${lines.join('\n')}\n`);
});

const total = () => [...met.values()].reduce((sum, times) => sum + times, 0);
const passing = faultKinds.filter((kind) => !/^(?:die|hang)/.test(kind));

/** The run is as good as one without faults, and so is everything that it has left. */
async function asGood(question: Question, how: string, results: number): Promise<void> {
  const before = total();
  const { run, olivia } = await runs.ask(question);
  runs.calm();
  const row = ['all', how, `${total() - before} requests of ${question.agent}`];
  expect(await runs.examined(run.runId, question, row)).toMatchObject({ whole: results, said: 0 });
  expect({ how, status: run.status }).toEqual({ how, status: 'succeeded' });
  expect(run.answer).toMatch(question.answer);
  for (const { tool, download_url } of run.links) {
    const { response, body } = await olivia.download(download_url ?? '');
    const sha256 = runs.produced[tool ?? ''] ?? digest(body);
    expect({ how, tool, status: response.status, sha256: digest(body) }).toEqual({ how, tool, status: 200, sha256 });
  }
}

test.each<[string, Question]>([
  ['a list and a read', reading],
  ['a tool that stores by itself', counting(platform.handle.examples.records)],
  ['a tool of the flow’s own', noting],
  ['three agents', researching],
])('one request in five of each function fails, of each kind of fault: %s', async (_, question) => {
  for (const kind of passing) {
    const asked = new Map<string, number>();
    runs.plan(({ asker }): FaultKind | undefined => {
      if (asker === undefined) return undefined;
      asked.set(asker, (asked.get(asker) ?? 0) + 1);
      // Its second, its seventh, … request.
      if ((asked.get(asker) ?? 0) % 5 !== 2) return undefined;
      const place = `${asker.replace('claimcheck-', '')} ${kind}`;
      met.set(place, (met.get(place) ?? 0) + 1);
      return kind;
    });
    await asGood(question, `${kind}, one in five`, 1);
  }
});

test('every function has met every kind', () => {
  for (const kind of passing) {
    const those = functions.map((name) => [name, met.has(`${name} ${kind}`)]);
    expect([kind, ...those]).toEqual([kind, ...functions.map((name) => [name, true])]);
  }
});

test('a run after all that is like any other', async () => {
  runs.plan(() => undefined);
  await asGood(reading, 'none', 1);
});
