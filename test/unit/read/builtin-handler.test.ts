import { z } from 'zod';
import { ClaimcheckError } from '../../../core/errors.ts';
import type { Run } from '../../../core/run/run.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { builtinHandler } from '../../../lambdas/builtin-handler.ts';

const runId = '2'.repeat(32);
const schema = z.strictObject({
  runId: z.string().regex(/^[0-9a-f]{32}$/),
  turn: z.number(),
  index: z.number(),
  q: z.string(),
});
const event = { runId, turn: 1, index: 0, q: 'x' };
const admitted = { runId, status: 'admitted', admittedAt: new Date().toISOString() } as Run;

function handler(run: Run | undefined, answer: Parameters<typeof builtinHandler<z.infer<typeof schema>>>[3]) {
  return builtinHandler('read-result', schema, { runs: { get: async () => run }, settings: defaultSettings }, answer);
}

test('the answer and what it delivered', async () => {
  const handle = handler(admitted, async () => ({ text: '{"data":[]}', delivered: { kind: 'read' } }));
  expect(await handle(event)).toEqual({
    status: 'success',
    content: [{ text: '{"data":[]}' }],
    delivered: { kind: 'read' },
  });
});

test.each([
  [{ ...event, owner: 'bob' }, 'InvalidInput: event: owner not expected; known are q'],
  [{ ...event, session: 's' }, 'InvalidInput: event: session not expected; known are q'],
  [{ ...event, roles: ['admin'] }, 'InvalidInput: event: roles not expected; known are q'],
  [{ ...event, runId: '../x' }, 'InvalidInput: runId: text like ^[0-9a-f]{32}$ expected'],
  [null, 'InvalidInput: event: an object {runId, turn, index, q} expected; found null'],
])('%j is refused before any run is looked up', async (bad, text) => {
  const get = jest.fn();
  const handle = builtinHandler('x', schema, { runs: { get }, settings: defaultSettings }, async () => ({ text: '' }));
  expect(await handle(bad)).toEqual({ status: 'error', content: [{ text }] });
  expect(get).not.toHaveBeenCalled();
});

test.each<[string, Run | undefined, string]>([
  ['unknown', undefined, 'NotFound'],
  ['ended', { ...admitted, status: 'succeeded' }, 'Forbidden'],
  ['too old', { ...admitted, admittedAt: '2020-01-01T00:00:00Z' }, 'Expired'],
])('a run that is %s reads nothing', async (_name, run, code) => {
  const answer = jest.fn();
  const made = await handler(run, answer)(event);
  expect(made).toMatchObject({ status: 'error', content: [{ text: expect.stringMatching(`^${code}: `) }] });
  expect(answer).not.toHaveBeenCalled();
});

test('every line has the ids of the call, for the tool’s own lines and for a refusal', async () => {
  const lines: string[] = [];
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((line: unknown) => {
    lines.push(...String(line).trim().split('\n'));
    return true;
  });
  const ids = { runId, turn: 1, index: 0, toolUseId: 'tooluse_a1', session: 'c'.repeat(32) };
  const known = schema.extend({ toolUseId: z.string() });
  const answer = jest.fn().mockImplementation(async (_event, _run, telemetry) => {
    telemetry.decision('result_read', { loaded: 1 });
    throw new ClaimcheckError('UnknownField', 'fields: no "x"');
  });
  const ports = { runs: { get: async () => ({ ...admitted, session: ids.session }) }, settings: defaultSettings };
  await builtinHandler('read-result', known, ports, answer)({ ...event, toolUseId: ids.toolUseId });
  spy.mockRestore();
  const said = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'INFO');
  expect(said.map(({ message }) => message)).toEqual(['result_read', 'refused']);
  for (const line of said) expect(line).toMatchObject(ids);
});

test('an expected failure is an error result without content; a fault is thrown', async () => {
  const failing = handler(admitted, async () => {
    throw new ClaimcheckError('UnknownField', 'fields: no "x"');
  });
  expect(await failing(event)).toEqual({ status: 'error', content: [{ text: 'UnknownField: fields: no "x"' }] });
  const broken = handler(admitted, async () => {
    throw new TypeError('a bug near arn:aws:iam::123456789012:role/x');
  });
  // What is thrown becomes the function's answer, on its way to a model.
  await expect(broken(event)).rejects.toMatchObject({
    name: 'TypeError',
    message: expect.not.stringContaining('arn:'),
  });
});
