import { powertoolsTelemetry } from '../../../aws/powertools-telemetry.ts';
import { figuresOf, figuresTable } from '../../../scripts/stats-figures.ts';

/** What functions really write. */
function written(
  write: (telemetry: ReturnType<typeof powertoolsTelemetry>) => void,
  name = 'run-tool',
): readonly string[] {
  const lines: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((line: unknown) => {
      lines.push(...String(line).trim().split('\n'));
      return true;
    }),
  );
  const telemetry = powertoolsTelemetry(name, { runId: 'r' });
  write(telemetry);
  telemetry.flush();
  for (const spy of spies) spy.mockRestore();
  return lines;
}

const report = (milliseconds: number, rest = '') =>
  `REPORT RequestId: 0a1b\tDuration: ${milliseconds} ms\tBilled Duration: 100000 ms\tMemory Size: 512 MB${rest}`;
const inGroup = (name: string, messages: readonly string[]) =>
  messages.map((message) => ({ group: `/aws/lambda/check-${name}`, message }));

const messages = [
  ...written((telemetry) => {
    telemetry.count('StoredBytes', 1_000, { tool: 'flights' });
    telemetry.count('StoredBytes', 500, { tool: 'notes' });
    telemetry.count('ContextBytesSaved', 900, { tool: 'flights' });
    telemetry.count('UploadLatency', 40);
    telemetry.count('UploadLatency', 90);
    telemetry.count('Truncation', 1, { tool: 'flights', reason: 'stored' });
  }),
  ...written((telemetry) => {
    telemetry.count('Refusal', 1, { code: 'NotFound' });
    telemetry.count('QuotaRefused', 1, { reason: 'tokens' });
    telemetry.decision('turn_saved', { turn: 1 });
    telemetry.decision('fault', { error: 'TypeError' });
  }, 'save-turn'),
  'START RequestId: 1',
  'INFO {"message":"turn_saved","function":"save-turn"}',
  '{"broken',
];
const lines = [
  ...inGroup('web', [report(3)]),
  ...inGroup('run-tool', [
    ...messages,
    ...Array.from({ length: 19 }, () => report(10)),
    report(4_000.5),
    'a tool wrote: REPORT RequestId: 1\tDuration: 9 ms',
    ...written((telemetry) => {
      telemetry.decision('tool_failed', { tool: 'flights', reason: 'throttled' });
      telemetry.decision('tool_failed', { tool: 'flights', reason: 'timeout' });
    }),
  ]),
  ...inGroup('api', [
    report(20),
    report(21),
    ...written((telemetry) => telemetry.decision('refused', { code: 'NotFound' }), 'api'),
    ...written((telemetry) => telemetry.decision('fault', { error: 'Error' }), 'api'),
  ]),
  // A tool of that name is not behind the API.
  ...inGroup('tool-web', [report(5)]),
  ...inGroup(
    'close-run',
    written((telemetry) => telemetry.decision('fault', { error: 'Error' }), 'close-run'),
  ),
];
const answer = (question: string) =>
  Object.fromEntries(
    figuresOf(lines)
      .find((figure) => figure.question === question)
      ?.answers.map(({ of, value }) => [of, value]) ?? [],
  );

test('each question is answered from what functions really write, nothing counted twice', () => {
  expect(answer('How much is stored?')).toEqual({ 'bytes stored': 1_500, 'results stored': 2 });
  expect(answer('How much context is saved?')).toEqual({ 'bytes kept out of requests': 900 });
  expect(answer('How long do uploads take?')).toEqual({ 'p50 ms': 90, 'p99 ms': 90 });
  expect(answer('What is cut, and why?')).toEqual({ 'reason stored, tool flights': 1 });
  expect(answer('What is refused?')).toEqual({ 'Refusal: code NotFound': 1, 'QuotaRefused: reason tokens': 1 });
  expect(answer('Do runs end well?')).toEqual({ 'turns saved': 2, 'runs closed as failed': 0 });
  expect(answer('Which functions fail?')).toEqual({ api: 1, 'close-run': 1, 'save-turn': 1 });
});

test('what AWS counts by itself is answered from the reports of invocations and from what functions noticed', () => {
  expect(answer('How long do functions take?')).toEqual({
    'run-tool, p95 ms': 4_000.5,
    'api, p95 ms': 21,
    'tool-web, p95 ms': 5,
    'web, p95 ms': 3,
  });
  expect(answer('Is anything throttled?')).toEqual({ flights: 1 });
  expect(answer('How does the API answer?')).toEqual({ requests: 3, 'refusals with a code': 1, faults: 1 });
  expect(answer('Is anything undelivered?')).toEqual({ 'ends that close-run did not take': 1 });
});

test('without a line there is a table all the same', () => {
  expect(figuresTable(figuresOf([]))).toContain('How much is stored?\n');
});
