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

const lines = [
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
  expect(answer('Which functions fail?')).toEqual({ 'save-turn': 1 });
});

test('without a line there is a table all the same', () => {
  expect(figuresTable(figuresOf([]))).toContain('How much is stored?\n');
});
