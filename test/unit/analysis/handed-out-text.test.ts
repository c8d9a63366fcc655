import { AnalysisHost } from '../../fakes/analysis-host.ts';

// What a program makes of its answer's text: the engine says it is JSON, so everything behind it may take it for that.
jest.setTimeout(120_000);
const engine = new AnalysisHost();
beforeAll(() => engine.start());
afterAll(() => engine.stop());
beforeEach(() => {
  engine.puts.length = 0;
});

const data = () => engine.input('data', JSON.stringify([{ id: 1, json: '{"a":\n[1,\r\n2]}' }]));
const uploads = (name: string) => ({ answer: engine.upload(name), picture: null, drawing: null });
/** Closes the function around a script, and with it what turns values into text: this expression is handed out. */
const instead = (expression: string) => `return 0})()); ${expression} + ((() => { return ""`;

test.each([
  ['no JSON', '"not json"'],
  ['no JSON, too long for the answer', '"x".repeat(5000)'],
  ['two values', '"1 2"'],
  ['nested deeper than a walk by calls survives', '"[".repeat(1e6) + "]".repeat(1e6)'],
  ['an item nested so', '"[1," + "[".repeat(1e5) + "]".repeat(1e5) + "]"'],
])('a script that gets round its finisher hands out %s: told, and nothing is left anywhere', async (_name, text) => {
  const limits = { deadlineMs: 20_000, maxOutputBytes: 1_000 };
  const answer = await engine.script(instead(text), [data()], { uploads: uploads('never'), limits });
  expect(answer).toMatchObject({ outcome: 'error', code: 'AnalysisFailed' });
  expect((answer as { message: string }).message).toMatch(/^script: expected /);
  expect(engine.puts).toEqual([]);
});

test('neither does it hand out more than it may', async () => {
  const limits = { deadlineMs: 20_000, maxOutputBytes: 1_000 };
  const answer = await engine.script(instead('"[" + "1,".repeat(1000) + "1]"'), [data()], { limits });
  expect(answer).toMatchObject({ outcome: 'error', code: 'AnalysisLimit' });
});

test('line ends inside of JSON that a query makes do not end its row', async () => {
  const sql = 'SELECT json::JSON AS made, range AS n FROM data, range(500)';
  const limits = { deadlineMs: 20_000, maxOutputBytes: 1_000 };
  const answer = await engine.sql(sql, [data()], { uploads: uploads('kept'), limits });
  expect(answer).toMatchObject({ outcome: 'table', rowCount: 500 });
  const lines = (engine.puts[0]?.body.toString('utf8') ?? '').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    Array.from({ length: 500 }, (_, n) => ({ made: { a: [1, 2] }, n })),
  );
});
