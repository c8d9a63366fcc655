import * as z from 'zod';
import { ClaimcheckError } from '../../../core/errors.ts';
import { flowHandler, flowIdentity, hexId, turnNumber } from '../../../lambdas/flow-handler.ts';

const schema = z.strictObject({ runId: hexId, turn: turnNumber, flow: flowIdentity });
const good = { runId: 'a'.repeat(32), turn: 1, flow: { execution: 'e', stateMachine: 's' } };
let lines: string[];

beforeEach(() => {
  lines = [];
  // Powertools writes to the streams, past jest's console.
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

it('answers what the step answers', async () => {
  const handler = flowHandler('test', schema, async ({ turn }) => ({ outcome: 'ok' as const, turn }));
  expect(await handler(good)).toEqual({ outcome: 'ok', turn: 1 });
});

it.each([
  ['an owner', { ...good, owner: 'bob@secret.example' }, 'event: owner not expected'],
  ['roles', { ...good, roles: ['admin-secret'] }, 'event: roles not expected'],
  ['a session', { ...good, session: 'secret' }, 'event: session not expected'],
  ['no run', { turn: 1, flow: good.flow }, 'runId'],
  ['a run id in capitals', { ...good, runId: 'A'.repeat(32) }, 'runId'],
  ['a turn that is no number', { ...good, turn: 'secret' }, 'turn'],
  ['a negative turn', { ...good, turn: -1 }, 'turn'],
  ['nothing', null, 'event'],
  ['a text', 'secret', 'event'],
])('an event with %s is refused with a code, and no value of it is repeated', async (_name, event, expected) => {
  const step = jest.fn();
  const answer = await flowHandler('test', schema, step)(event);
  expect(answer).toMatchObject({ outcome: 'error', code: 'InvalidInput', retryable: false });
  expect((answer as { message: string }).message).toContain(expected);
  expect(JSON.stringify(answer) + lines.join()).not.toContain('secret');
  expect(step).not.toHaveBeenCalled();
});

it('an expected failure is an outcome; its facts and cause stay inside', async () => {
  const handler = flowHandler('test', schema, async () => {
    throw new ClaimcheckError('StorageUnavailable', 'storage: refused', { found: 'x' }, { cause: new Error('secret') });
  });
  expect(await handler(good)).toEqual({
    outcome: 'error',
    code: 'StorageUnavailable',
    retryable: true,
    message: 'storage: refused',
  });
  expect(lines.join()).not.toContain('secret');
  expect(lines.join()).toContain('"StorageUnavailable"');
});

it.each([
  ['an error of 300 KB (case H072)', new Error('x'.repeat(300_000))],
  ['something that is no error', 'a text of a tool'],
])('a fault is thrown, shortened: %s', async (_name, thrown) => {
  const handler = flowHandler('test', schema, async () => {
    throw thrown;
  });
  const error = (await handler(good).catch((caught: unknown) => caught)) as Error;
  expect(error).toBeInstanceOf(Error);
  expect(error.message.length).toBeLessThanOrEqual(300);
  expect((error.stack ?? '').length).toBeLessThanOrEqual(4_000);
  expect(error.message).not.toContain('a text of a tool');
});

it('every line names run and turn', async () => {
  const handler = flowHandler('test', schema, async (_event, { telemetry }) => {
    telemetry.decision('tool_call', { tool: 'rows' });
    telemetry.count('ToolCall', 1, { tool: 'rows' });
    return { outcome: 'ok' as const };
  });
  await handler(good);
  const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(logged.find((line) => line['message'] === 'tool_call')).toMatchObject({
    runId: good.runId,
    turn: 1,
    tool: 'rows',
  });
  expect(logged.filter((line) => '_aws' in line && line['ToolCall'] !== undefined)).not.toHaveLength(0);
});
