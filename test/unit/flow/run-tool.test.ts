import { ClaimcheckError } from '../../../core/errors.ts';
import { runTool } from '../../../core/flow/run-tool.ts';
import { classifyFailure, type InvocationFailure } from '../../../core/retry/classify.ts';
import type { ToolOutcome } from '../../../core/run/outcomes.ts';
import { ToolInvocationError } from '../../../core/tool/tool-invoker.ts';
import {
  flow,
  rowsText,
  rowsTool,
  runId,
  runWorld,
  ScriptedInvoker,
  session,
  success,
  use,
} from '../../fakes/run-world.ts';

const event = { runId, turn: 1, index: 0, flow };
const fault = (failure: Partial<InvocationFailure>): ToolInvocationError => {
  const whole = { name: 'Error', message: '', byFunction: false, ...failure };
  return new ToolInvocationError(classifyFailure(whole), whole);
};
const throttled = fault({ name: 'TooManyRequestsException', status: 429 });
const tooLarge = fault({
  name: 'Function.ResponseSizeTooLarge',
  message: 'Response payload size exceeded',
  byFunction: true,
});
const big = success({ text: rowsText(5_000) });

type World = Awaited<ReturnType<typeof runWorld>>;
const outcomeOf = (world: World, key = 'tool/1/0') => world.outcomes.items.get(`${runId}|${key}`) as ToolOutcome;
const textOf = (outcome: ToolOutcome) => (outcome.content[0] as { text: string }).text;

async function calling(answers: unknown[], change: Parameters<typeof runWorld>[0] = {}) {
  const invoker = new ScriptedInvoker(...answers);
  const world = await runWorld({ answer: [use('rows', { query: 'all' })], ...change, invoker });
  const result = await runTool(event, world);
  return { world, invoker, result, outcome: outcomeOf(world) };
}

it('answers status and reference alone: no result, no input', async () => {
  const { result, outcome } = await calling([big]);
  expect(Object.keys(result)).toEqual(['outcome', 'status', 'ref']);
  expect(result).toMatchObject({ outcome: 'ok', status: 'success', ref: expect.stringMatching(`^${session}/`) });
  expect(outcome).toMatchObject({ toolUseId: 'use-1', tool: 'rows', oversize: true });
});

it('reads the input from the stored message and makes the context itself', async () => {
  const { invoker } = await calling([big]);
  expect(invoker.asked).toEqual([
    {
      functionName: 'claimcheck-tool-rows',
      payload: {
        input: { query: 'all' },
        context: expect.objectContaining({
          runId,
          turn: 1,
          index: 0,
          toolUseId: 'use-1',
          owner: 'ada',
          session,
          roles: ['ops'],
        }),
      },
    },
  ]);
});

it('a repeated event answers the recorded outcome and touches nothing', async () => {
  const { world, invoker, result } = await calling([big]);
  const before = JSON.stringify([world.store.calls, [...world.outcomes.items], [...world.attempts.items]]);
  expect(await runTool(event, world)).toEqual(result);
  expect(invoker.asked).toHaveLength(1);
  expect(JSON.stringify([world.store.calls, [...world.outcomes.items], [...world.attempts.items]])).toBe(before);
});

describe('bad input: each ends as a clear error result', () => {
  it.each([
    ['a name that the model made up', use('drop_tables'), /^UnknownTool/],
    ['a tool that is not open to the roles', use('secret'), /^Forbidden: secret/],
    ['an input that names an owner', use('rows', { owner: 'bob' }), /^InvalidInput: owner/],
    [
      'an input that names the session and roles',
      use('rows', { session: 'x', roles: ['ops'] }),
      /^InvalidInput: session, roles/,
    ],
    ['an input that is no object', use('rows', [1]), /^InvalidInput/],
  ])('%s', async (_name, block, expected) => {
    const { result, outcome, invoker } = await calling([big], {
      answer: [block],
      tools: [rowsTool, { ...rowsTool, name: 'secret', roles: ['admin'] }],
    });
    expect(result).toEqual({ outcome: 'ok', status: 'error', ref: null });
    expect(textOf(outcome)).toMatch(expected);
    expect(invoker.asked).toEqual([]);
  });

  it.each([
    [
      'throws',
      fault({ name: 'TypeError', message: 'x is not a function', byFunction: true }),
      /ToolFailed: rows failed: x is not a function/,
    ],
    ['answers nothing', null, /answered nothing/],
    ['answers an empty list of blocks', { status: 'success', content: [] }, /answered nothing/],
    ['answers something else', { rows: [1, 2] }, /answered nothing/],
    ['answers a text', 'rows', /expected an answer/],
  ])('a tool that %s', async (_name, answer, expected) => {
    const { result, outcome, invoker, world } = await calling([answer]);
    expect(result).toEqual({ outcome: 'ok', status: 'error', ref: null });
    expect(textOf(outcome)).toMatch(expected);
    expect(invoker.asked).toHaveLength(1);
    expect(world.store.calls).toEqual([]);
  });

  it('a store that refuses the write: the flow goes on with a part that says so', async () => {
    const world = await runWorld({ answer: [use('rows')], invoker: new ScriptedInvoker(big) });
    world.store.failing.add('putBody');
    expect(await runTool(event, world)).toEqual({ outcome: 'ok', status: 'success', ref: null });
    expect(JSON.stringify(outcomeOf(world).content)).toContain('the rest was not kept');
    expect(world.catalogue.entries.size).toBe(0);
  });

  it.each([
    ['a missing run', { ...event, runId: 'f'.repeat(32) }, 'NotFound'],
    ['another flow’s run', { ...event, flow: { ...flow, stateMachine: `${flow.stateMachine}-other` } }, 'Forbidden'],
    ['another execution', { ...event, flow: { ...flow, execution: flow.execution.replace(/a+$/, 'b') } }, 'Forbidden'],
    ['a turn that is not there', { ...event, turn: 7 }, 'NotFound'],
    ['an index that is not there', { ...event, index: 3 }, 'NotFound'],
  ])('%s', async (_name, bad, code) => {
    const world = await runWorld({ answer: [use('rows')] });
    await expect(runTool(bad, world)).rejects.toMatchObject({ code });
    expect(world.outcomes.items.size).toBe(0);
  });

  it.each([
    ['has ended', { status: 'failed' as const }, 'Forbidden'],
    ['is too old', { admittedAt: '2026-11-29T11:59:59.000Z' }, 'Expired'],
    ['has no readable date', { admittedAt: 'yesterday' }, 'Expired'],
  ])('a run that %s', async (_name, run, code) => {
    const world = await runWorld({ answer: [use('rows')], run });
    await expect(runTool(event, world)).rejects.toBeInstanceOf(ClaimcheckError);
    await expect(runTool(event, world)).rejects.toMatchObject({ code });
  });
});

describe('retries (DESIGN 9)', () => {
  it('a throttled tool is executed again, at most three times, with jittered pauses', async () => {
    const twice = await calling([throttled, throttled, big]);
    expect(twice.result.status).toBe('success');
    expect(twice.world.pauses).toEqual([100, 200]);
    const never = await calling([throttled]);
    expect(never.invoker.asked).toHaveLength(3);
    expect(textOf(never.outcome)).toBe('ToolUnavailable: rows was throttled after 3 executions');
  });

  it('every attempt has a result id of its own', async () => {
    const { invoker } = await calling([throttled, throttled, big]);
    const ids = invoker.asked.map(({ payload }) => (payload as { context: { resultId: string } }).context.resultId);
    expect(new Set(ids).size).toBe(3);
  });

  it('attempts of an invocation that died count', async () => {
    const world = await runWorld({ answer: [use('rows')], invoker: new ScriptedInvoker(throttled) });
    await world.attempts.claim(runId, 1, 0);
    await world.attempts.claim(runId, 1, 0);
    await runTool(event, world);
    expect(world.invoker.asked).toHaveLength(1);
  });

  it('a tool with side effects is executed once, and not again after a lost answer', async () => {
    const once = { ...rowsTool, retry: 'once' as const };
    const failed = await calling([throttled], { tools: [once] });
    expect(failed.invoker.asked).toHaveLength(1);
    const world = await runWorld({ answer: [use('rows')], tools: [once] });
    await world.attempts.claim(runId, 1, 0);
    await runTool(event, world);
    expect(world.invoker.asked).toHaveLength(0);
    expect(textOf(outcomeOf(world))).toMatch(/may have been executed already/);
  });

  it('an answer that is too large is not asked for again, and the wrapper is named', async () => {
    const { invoker, outcome } = await calling([tooLarge]);
    expect(invoker.asked).toHaveLength(1);
    expect(textOf(outcome)).toMatch(/^OversizeResult: rows .*wrap the tool/);
  });

  it('a pause that this invocation has no time for is not made, and no line or metric says that it was', async () => {
    const invoker = new ScriptedInvoker(throttled);
    const world = await runWorld({ answer: [use('rows')], invoker });
    await runTool(event, { ...world, timeLeftMs: () => 5_050 });
    expect(invoker.asked).toHaveLength(1);
    expect(outcomeOf(world).status).toBe('error');
    const line = world.telemetry.decisions.find(({ name }) => name === 'tool_failed');
    expect(line?.facts).toMatchObject({ attempt: 1, reason: 'throttled', retried: false });
    expect(world.telemetry.counts).toContainEqual({ metric: 'ToolRetry', value: 0, reason: 'throttled' });
    expect(world.telemetry.counts).not.toContainEqual(expect.objectContaining({ metric: 'ToolRetry', value: 1 }));
  });
});

describe('a repeated oversize call', () => {
  const answer = [
    use('rows', { query: 'all' }),
    use('rows', { query: 'all' }, 'use-2'),
    use('rows', { query: 'all', refresh: true }, 'use-3'),
    use('rows', { query: 'other' }, 'use-4'),
    ...[5, 6, 7].map((n) => use('rows', { query: 'all', refresh: true }, `use-${n}`)),
  ];
  const at = (index: number) => ({ ...event, index });

  it('is answered by the stored version, with its date and how to narrow', async () => {
    const invoker = new ScriptedInvoker(big);
    const world = await runWorld({ answer, invoker });
    const first = await runTool(at(0), world);
    const second = await runTool(at(1), world);
    expect(invoker.asked).toHaveLength(1);
    expect(second).toEqual(first);
    const text = textOf(outcomeOf(world, 'tool/1/1'));
    expect(text).toContain(`stored as ${first.ref}`);
    expect(text).toContain('2026-11-30T12:00:00.000Z');
    expect(text).toMatch(/not fresh data.*read_result.*refresh/);
    expect(outcomeOf(world, 'tool/1/1').content[1]).toMatchObject({
      json: {
        data_reference: {
          ref: first.ref,
          records: 5_000,
          coverage: { loaded: 0, total: 5_000, input_complete: false },
        },
      },
    });
    // Other arguments are another call.
    await runTool(at(3), world);
    expect(invoker.asked).toHaveLength(2);
  });

  it('whose stored copy is gone is executed; one whose store is silent is answered without its facts', async () => {
    const invoker = new ScriptedInvoker(big);
    const world = await runWorld({ answer, invoker });
    const first = await runTool(at(0), world);
    world.store.failing.add('readIndex');
    expect((await runTool(at(1), world)).ref).toBe(first.ref);
    expect(outcomeOf(world, 'tool/1/1').content).toHaveLength(1);
    const gone = await runWorld({ answer, invoker: new ScriptedInvoker(big) });
    await runTool(at(0), gone);
    gone.store.indexes.clear();
    await runTool(at(1), gone);
    expect(gone.invoker.asked).toHaveLength(2);
  });

  it('refresh executes it and makes a version that names the old one, a bounded number of times', async () => {
    const invoker = new ScriptedInvoker(big);
    const world = await runWorld({ answer, invoker });
    const first = await runTool(at(0), world);
    const refreshed = await runTool(at(2), world);
    expect(refreshed.ref).not.toBe(first.ref);
    expect([...world.catalogue.entries.values()].at(-1)).toMatchObject({
      ref: refreshed.ref,
      supersedes: first.ref,
      version: 2,
    });
    expect((invoker.asked.at(-1) as { payload: { input: unknown } }).payload.input).toEqual({ query: 'all' });
    for (const index of [4, 5, 6]) await runTool(at(index), world);
    expect(invoker.asked).toHaveLength(4);
    expect(textOf(outcomeOf(world, 'tool/1/6'))).toContain('as often as one run may');
  });

  it('refreshes at the same time are versions of their own, each of the one before it', async () => {
    const world = await runWorld({ answer, invoker: new ScriptedInvoker(big) });
    const first = await runTool(at(0), world);
    await Promise.all([2, 4, 5].map((index) => runTool(at(index), world)));
    const rows = [...world.catalogue.entries.values()].sort((a, b) => a.version - b.version);
    expect(rows.map(({ version }) => version)).toEqual([1, 2, 3, 4]);
    expect(rows[1]?.supersedes).toBe(first.ref);
    const older = (place: number) => rows.slice(0, place).map(({ ref }) => ref);
    for (const place of [2, 3]) expect(older(place)).toContain(rows[place]?.supersedes);
  });

  it('a failed refresh is recorded beside the old version', async () => {
    const world = await runWorld({ answer, invoker: new ScriptedInvoker(big, tooLarge) });
    const first = await runTool(at(0), world);
    await runTool(at(2), world);
    const rows = [...world.catalogue.entries.values()];
    expect(rows.map((row) => row.status)).toEqual(['stored', 'refresh_failed']);
    expect(rows[1]).toMatchObject({ supersedes: first.ref, failure: 'OversizeResult', bytes: 0 });
  });

  it('an answer that was too large is not executed again either', async () => {
    const invoker = new ScriptedInvoker(tooLarge);
    const world = await runWorld({ answer, invoker });
    await runTool(at(0), world);
    expect(await runTool(at(1), world)).toMatchObject({ status: 'error', ref: null });
    expect(invoker.asked).toHaveLength(1);
    expect(textOf(outcomeOf(world, 'tool/1/1'))).toMatch(/^Not executed again.*already failed/);
  });
});

it('what a failing tool says is not told to a run that sees only some of its fields', async () => {
  const tool = { ...rowsTool, view: { ops: ['id'] } };
  const thrown = fault({ name: 'CustomerError', message: 'customer HIDDEN is unknown', byFunction: true });
  for (const answer of [thrown, { status: 'error', content: [{ text: 'customer HIDDEN is unknown' }] }]) {
    const { world, result } = await calling([answer], { tools: [tool] });
    expect(result.status).toBe('error');
    expect(JSON.stringify([...world.outcomes.items.values(), world.telemetry.decisions])).not.toContain('HIDDEN');
  }
});

it('the platform’s own tools get the run and the input, and nothing of theirs is stored', async () => {
  const builtin = { ...rowsTool, name: 'read_result', builtin: true };
  const page = { status: 'success', content: [{ text: rowsText(900) }], delivered: { ref: 'r' } };
  const { invoker, world, outcome } = await calling([page], {
    tools: [builtin],
    answer: [use('read_result', { ref: 'r' })],
  });
  expect(invoker.asked[0]?.payload).toEqual({
    ref: 'r',
    runId,
    turn: 1,
    index: 0,
    toolUseId: outcome.toolUseId,
  });
  expect(outcome).toMatchObject({ content: page.content, delivered: { ref: 'r' }, ref: null });
  expect(world.store.calls).toEqual([]);
});

it('what breaks inside a platform tool is for the log, and no failure names an address inside the account', async () => {
  const message =
    'User: arn:aws:sts::123456789012:assumed-role/reader is not authorized to perform dynamodb:GetItem on "arn:aws:dynamodb:eu-central-1:123456789012:table/x"';
  const refused = fault({ name: 'AccessDeniedException', message, byFunction: true });
  const builtin = { ...rowsTool, name: 'read_result', builtin: true };
  const own = await calling([refused], { tools: [builtin], answer: [use('read_result', { ref: 'r' })] });
  expect(textOf(own.outcome)).toBe('ToolFailed: read_result failed');
  const { outcome } = await calling([refused]);
  expect(textOf(outcome)).toMatch(/^ToolFailed: rows failed: User: \[resource\] is not authorized/);
  expect(textOf(outcome)).not.toContain('123456789012');
});

it('an answer of the platform’s own that one item cannot hold is an error, not a fault', async () => {
  const builtin = { ...rowsTool, name: 'read_result', builtin: true };
  const { result, outcome } = await calling([success({ text: 'x'.repeat(400_000) })], {
    tools: [builtin],
    answer: [use('read_result', { ref: 'r' })],
  });
  expect(result.status).toBe('error');
  expect(textOf(outcome)).toMatch(/^OversizeResult/);
});

it.each(['success', 'error'])(
  'an answer nested deeper than recursion goes is kept like any other: %s',
  async (status) => {
    const json = JSON.parse(`${'{"a":'.repeat(6_000)}"tail"${'}'.repeat(6_000)}`);
    const { result, outcome } = await calling([{ status, content: [{ json }] }]);
    expect(result).toMatchObject({ outcome: 'ok', status });
    expect(JSON.stringify(outcome)).toContain('a');
  },
);

it('a picture that one outcome cannot hold is left out and said so', async () => {
  const image = { image: { format: 'png', source: { bytes: Buffer.alloc(400_000, 7).toString('base64') } } };
  const { outcome } = await calling([{ status: 'success', content: [{ text: 'a map' }, image] }]);
  expect(outcome.content[0]).toEqual({ text: 'a map' });
  expect(JSON.stringify(outcome.content[1])).toMatch(/image left out: it is too large/);
});
