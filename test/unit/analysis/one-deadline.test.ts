import * as limited from '../../../lambdas/analysis-engine/limited-process.ts';
import { AnalysisHost } from '../../fakes/analysis-host.ts';

jest.mock('../../../lambdas/analysis-engine/limited-process.ts', () => {
  const actual = jest.requireActual('../../../lambdas/analysis-engine/limited-process.ts');
  return { ...actual, startLimited: jest.fn(actual.startLimited) };
});

jest.setTimeout(120_000);
const engine = new AnalysisHost(2048, { sliceBytes: 64 * 1024 });
beforeAll(() => engine.start());
afterAll(() => engine.stop());

const { startLimited } = jest.requireActual<typeof limited>('../../../lambdas/analysis-engine/limited-process.ts');
const deadlineMs = 20_000;
const slowMs = 700;

/** The time that each process of a query was given, where the first took `slowMs` longer than it does. */
async function times(last: string) {
  const given: number[] = [];
  jest.mocked(limited.startLimited).mockImplementation((program, limits, ...more) => {
    const child = startLimited(program, limits, ...more);
    given.push(limits.deadlineMs);
    const run: typeof child.run = async (...work) => {
      await new Promise((resolve) => setTimeout(resolve, given.length === 1 ? slowMs : 0));
      return child.run(...work);
    };
    return { ...child, run };
  });
  const records = Array.from({ length: 6_000 }, (_, id) => ({ id, at: '2026-09-01T10:00:00Z', s: `text ${id}` }));
  const body = `${JSON.stringify(records).slice(0, -1)},${last}]`;
  const answer = await engine.sql('SELECT count(*), count("at") FROM data', [engine.input('data', body)], {
    limits: { deadlineMs, maxOutputBytes: 1_000 },
  });
  expect(answer).toMatchObject({ rows: [[String((JSON.parse(body) as unknown[]).length), expect.any(String)]] });
  return given;
}

test.each([
  ['told apart wrongly', ' {"id":1,"at":null},{"id":2,"s":"x"}'],
  ['of another type', '{"id":1,"at":"not known","s":"x"}'],
])('records %s: what is run again has what is left of the time', async (_, last) => {
  const [first, second, ...more] = await times(last);
  expect(first).toBe(deadlineMs);
  expect(second).toBeLessThanOrEqual(deadlineMs - slowMs);
  expect(second).toBeGreaterThan(1_000);
  expect(more).toEqual([]);
});
