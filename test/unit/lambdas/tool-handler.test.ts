import { ClaimcheckError } from '../../../core/errors.ts';
import type { ToolEvent } from '../../../core/tool/tool-definition.ts';
import { toolHandler } from '../../../lambdas/tool-handler.ts';

let lines: string[];
beforeEach(() => {
  lines = [];
  for (const stream of [process.stdout, process.stderr]) {
    jest.spyOn(stream, 'write').mockImplementation((line: unknown) => {
      lines.push(String(line));
      return true;
    });
  }
});
afterEach(() => {
  jest.restoreAllMocks();
});
const event = { input: {}, context: { runId: 'a'.repeat(32), turn: 1, index: 0 } } as unknown as ToolEvent;
const failing = (error: unknown) =>
  toolHandler('tool-rows', async () => {
    throw error;
  })(event).catch((thrown: unknown) => thrown as Error);

it('a fault keeps its class, by which it is tried again, and none of its words', async () => {
  const message = 'password authentication failed for user "reader" at 10.0.0.5, value "ada@secret.example"';
  const thrown = await failing(Object.assign(new Error(message), { name: 'ThrottlingException' }));
  expect(thrown).toMatchObject({ name: 'ThrottlingException', message: '' });
  const told = [lines.join(), (thrown as Error).stack].join();
  expect(told).not.toMatch(/secret|10\.0\.0\.5|reader/);
  expect(told).toContain('tool-handler.test');
});

it('an expected failure is said in its own words', async () => {
  expect(await failing(new ClaimcheckError('ToolUnavailable', 'rows: the database does not answer'))).toMatchObject({
    message: 'rows: the database does not answer',
  });
});
