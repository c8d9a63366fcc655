import { ClaimcheckError } from '../../../core/errors.ts';
import { httpHandler } from '../../../lambdas/http-handler.ts';

let lines: string[];
beforeEach(() => {
  lines = [];
  for (const stream of [process.stdout, process.stderr]) {
    jest.spyOn(stream, 'write').mockImplementation((line: unknown) => {
      lines.push(...String(line).trim().split('\n'));
      return true;
    });
  }
});
afterEach(() => {
  jest.restoreAllMocks();
});
const session = 'c'.repeat(32);
const ref = `${session}/${'d'.repeat(32)}`;
const asked = (rawPath: string) => ({ rawPath, requestContext: { http: { method: 'GET' } } });
const refusing = httpHandler('download', async (_request, telemetry) => {
  telemetry.decision('download', { outcome: 'refused', reason: 'not_found' });
  throw new ClaimcheckError('NotFound', 'Not found.');
});
const said = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'INFO');

test('every line of a request has the ids that its address names', async () => {
  expect(await refusing(asked(`/results/${ref}`))).toMatchObject({ statusCode: 404 });
  expect(said().map(({ message }) => message)).toEqual(['download', 'refused']);
  for (const line of said()) expect(line).toMatchObject({ function: 'download', session, ref });
});

test('words in an address reach no line, and no line has the ids of the request before', async () => {
  await refusing(asked(`/results/${ref}`));
  lines = [];
  await refusing(asked('/results/ada@secret.example/of-mine'));
  expect(said()).toHaveLength(2);
  expect(lines.join()).not.toMatch(/secret|of-mine|cccc/);
});
