import { runTool } from '../../../core/flow/run-tool.ts';
import { classifyFailure, type InvocationFailure, isRetryable, retryRules } from '../../../core/retry/classify.ts';
import type { ToolOutcome } from '../../../core/run/outcomes.ts';
import { ToolInvocationError } from '../../../core/tool/tool-invoker.ts';
import { flow, rowsText, rowsTool, runId, runWorld, ScriptedInvoker, success, use } from '../../fakes/run-world.ts';

const fault = (failure: Partial<InvocationFailure>): ToolInvocationError => {
  const whole = { name: 'Error', message: '', byFunction: false, ...failure };
  return new ToolInvocationError(classifyFailure(whole), whole);
};
const at = (turn: number) => ({ runId, turn, index: 0, flow });
const textOf = (outcome: ToolOutcome) => (outcome.content[0] as { text: string }).text;
const said = (outcome: ToolOutcome) => textOf(outcome).slice(0, 90);

const faults: Readonly<Record<string, Partial<InvocationFailure>>> = {
  throttled: { name: 'TooManyRequestsException', status: 429 },
  timeout: { name: 'Sandbox.Timedout', byFunction: true },
  connection: { name: 'Error', code: 'ECONNRESET' },
  killed: { name: 'Runtime.ExitError', message: 'RequestId: 1 Error: Runtime exited with error', byFunction: true },
  service: { name: 'ServiceException', status: 503 },
  oversize: { name: 'Function.ResponseSizeTooLarge', byFunction: true },
  bad_input: { name: 'InvalidRequestContentException', status: 400 },
  tool: { name: 'TypeError', message: 'no such column', byFunction: true },
};

/** Kind → executions of an idempotent tool, of one with side effects, code for the model, and whether a later success helps. */
it('the table of retry classes against outcomes', async () => {
  const table: unknown[][] = [];
  for (const [kind, failure] of Object.entries(faults)) {
    for (const retry of ['idempotent', 'once'] as const) {
      const row: unknown[] = [kind, retry];
      for (const answers of [[fault(failure)], [fault(failure), success({ text: 'made it' })]]) {
        const invoker = new ScriptedInvoker(...answers);
        const tools = [{ ...rowsTool, retry }];
        const world = await runWorld({ answer: [use('rows', {})], tools, invoker });
        await runTool(at(1), world);
        const outcome = world.outcomes.items.get(`${runId}|tool/1/0`) as ToolOutcome;
        row.push(invoker.asked.length, outcome.status === 'success' ? 'ok' : said(outcome).split(':')[0]);
      }
      table.push(row);
    }
  }
  process.stdout.write(
    `${['class', 'tool', 'always fails', '', 'fails once', ''].join('\t')}\n${table.map((row) => row.join('\t')).join('\n')}\n`,
  );
  expect(table).toEqual([
    ['throttled', 'idempotent', 3, 'ToolUnavailable', 2, 'ok'],
    ['throttled', 'once', 1, 'ToolUnavailable', 1, 'ToolUnavailable'],
    ['timeout', 'idempotent', 3, 'ToolUnavailable', 2, 'ok'],
    ['timeout', 'once', 1, 'ToolUnavailable', 1, 'ToolUnavailable'],
    ['connection', 'idempotent', 3, 'ToolUnavailable', 2, 'ok'],
    ['connection', 'once', 1, 'ToolUnavailable', 1, 'ToolUnavailable'],
    ['killed', 'idempotent', 3, 'ToolUnavailable', 2, 'ok'],
    ['killed', 'once', 1, 'ToolUnavailable', 1, 'ToolUnavailable'],
    ['service', 'idempotent', 3, 'ToolUnavailable', 2, 'ok'],
    ['service', 'once', 1, 'ToolUnavailable', 1, 'ToolUnavailable'],
    ['oversize', 'idempotent', 1, 'OversizeResult', 1, 'OversizeResult'],
    ['oversize', 'once', 1, 'OversizeResult', 1, 'OversizeResult'],
    ['bad_input', 'idempotent', 1, 'ToolFailed', 1, 'ToolFailed'],
    ['bad_input', 'once', 1, 'ToolFailed', 1, 'ToolFailed'],
    ['tool', 'idempotent', 1, 'ToolFailed', 1, 'ToolFailed'],
    ['tool', 'once', 1, 'ToolFailed', 1, 'ToolFailed'],
  ]);
  expect(new Set(retryRules.map(({ kind }) => kind))).toEqual(new Set(Object.keys(faults)));
  for (const kind of ['oversize', 'bad_input', 'tool'] as const) expect(isRetryable(kind)).toBe(false);
});

it.each(Object.keys(faults))(
  'a tool with side effects and a failure of class %s: what the model hears of its effects',
  async (kind) => {
    const invoker = new ScriptedInvoker(fault(faults[kind] as Partial<InvocationFailure>));
    const world = await runWorld({ answer: [use('rows', {})], tools: [{ ...rowsTool, retry: 'once' }], invoker });
    await runTool(at(1), world);
    const outcome = world.outcomes.items.get(`${runId}|tool/1/0`) as ToolOutcome;
    const may = textOf(outcome).includes('may have been executed, and is not executed twice');
    expect([kind, may]).toEqual([kind, ['timeout', 'connection', 'killed', 'service'].includes(kind)]);
    expect(invoker.asked).toHaveLength(1);
  },
);

it('the 50,000-row loop: a model that asks the same again and again ends after one execution, with the reference', async () => {
  const turns = 10;
  const invoker = new ScriptedInvoker(success({ text: rowsText(50_000) }));
  const world = await runWorld({ answer: [use('rows', { query: 'all' }, 'use-1')], invoker });
  const refs: (string | null)[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    if (turn > 1) {
      const content = [use('rows', { query: 'all' }, `use-${turn}`)];
      await world.messages.append(runId, { agent: 'assistant', turn, role: 'assistant', content });
    }
    refs.push((await runTool(at(turn), world)).ref);
  }
  expect(invoker.asked).toHaveLength(1);
  expect(new Set(refs).size).toBe(1);
  const last = world.outcomes.items.get(`${runId}|tool/${turns}/0`) as ToolOutcome;
  expect(textOf(last)).toMatch(new RegExp(`^Not executed again: .*stored as ${refs[0]}.*not fresh data`));
  expect(JSON.stringify(last.content)).toContain('"records":50000');
  const lines = world.telemetry.decisions.map(({ name, facts }) => JSON.stringify({ decision: name, ...facts }));
  process.stdout.write(`${lines.join('\n')}\n`);
  const repeats = world.telemetry.decisions.filter(({ name }) => name === 'repeat_not_executed');
  expect(repeats).toHaveLength(turns - 1);
  for (const { facts } of repeats) {
    expect(facts).toMatchObject({ runId, tool: 'rows', attempt: 1, reason: 'repeat' });
  }
  expect(world.telemetry.counts.filter(({ metric }) => metric === 'ToolRetry')).toHaveLength(turns - 1);
});

it('with every layer failing the tool was executed at most three times, each with a line and a metric of its own', async () => {
  const invoker = new ScriptedInvoker(fault(faults['timeout'] as Partial<InvocationFailure>));
  const world = await runWorld({ answer: [use('rows', {})], invoker });
  // The function dies before it can record what came of it, and the flow calls it again: five times over.
  const record = world.outcomes.record.bind(world.outcomes);
  let deaths = 0;
  world.outcomes.record = async (...given) => {
    if (given[1].startsWith('tool/') && deaths < 4) {
      deaths += 1;
      throw new Error('the function was ended');
    }
    return record(...given);
  };
  for (let event = 0; event < 5; event += 1) await runTool(at(1), world).catch(() => {});
  expect(deaths).toBe(4);
  expect(invoker.asked).toHaveLength(3);
  const outcome = world.outcomes.items.get(`${runId}|tool/1/0`) as ToolOutcome;
  expect(textOf(outcome)).toMatch(/^ToolUnavailable: rows was executed 3 times/);
  const failures = world.telemetry.decisions.filter(({ name }) => name === 'tool_failed');
  expect(failures.map(({ facts }) => [facts['tool'], facts['attempt'], facts['reason'], facts['retried']])).toEqual([
    ['rows', 1, 'timeout', true],
    ['rows', 2, 'timeout', true],
    ['rows', 3, 'timeout', false],
  ]);
  const lines = world.telemetry.decisions.map(({ name, facts }) => JSON.stringify({ decision: name, ...facts }));
  process.stdout.write(`with every layer failing:\n${lines.join('\n')}\n`);
  // The flow's further calls execute nothing, and say so.
  const others = world.telemetry.decisions.filter(({ name }) => name === 'tool_not_executed');
  expect(others.map(({ facts }) => [facts['runId'], facts['tool'], facts['attempt'], facts['reason']])).toEqual(
    [4, 5, 6, 7].map((attempt) => [runId, 'rows', attempt, 'attempts_used']),
  );
  expect(failures.every(({ facts }) => facts['runId'] === runId)).toBe(true);
  expect(world.telemetry.counts.filter(({ metric }) => metric === 'ToolRetry').map(({ value }) => value)).toEqual([
    1, 1, 0, 0, 0, 0, 0,
  ]);
});

it('a side-effecting tool under a lost response is executed once, and the model hears that the answer was lost', async () => {
  let sent = 0;
  const invoker = new ScriptedInvoker(() => {
    sent += 1;
    throw fault({ name: 'Error', code: 'ECONNRESET' });
  });
  const world = await runWorld({ answer: [use('rows', {})], tools: [{ ...rowsTool, retry: 'once' }], invoker });
  const record = world.outcomes.record.bind(world.outcomes);
  let lost = true;
  world.outcomes.record = async (...given) => {
    if (!lost) return record(...given);
    lost = false;
    throw new Error('the function was ended');
  };
  await expect(runTool(at(1), world)).rejects.toThrow('the function was ended');
  await runTool(at(1), world);
  await runTool(at(1), world);
  expect(sent).toBe(1);
  const outcome = world.outcomes.items.get(`${runId}|tool/1/0`) as ToolOutcome;
  expect(textOf(outcome)).toContain('may have been executed already and is not executed twice; its answer was lost');
});
