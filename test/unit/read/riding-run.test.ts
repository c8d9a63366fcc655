import { listResults } from '../../../core/catalogue/list-results.ts';
import { runTool } from '../../../core/flow/run-tool.ts';
import { readResult } from '../../../core/read/read-result.ts';
import type { ToolOutcome } from '../../../core/run/outcomes.ts';
import { contentBytes } from '../../../core/store/content-size.ts';
import { toolCatalogue } from '../../../core/tool/tool-definition.ts';
import {
  flow,
  rowsText,
  rowsTool,
  run,
  runId,
  runWorld,
  ScriptedInvoker,
  success,
  use,
} from '../../fakes/run-world.ts';

type World = Awaited<ReturnType<typeof runWorld>>;
const big = success({ text: rowsText(5_000) });
const secret = 'S3CR3T-41c9';

const outcome = (world: World, turn: number) => world.outcomes.items.get(`${runId}|tool/${turn}/0`) as ToolOutcome;
const text = (from: ToolOutcome, block = 0) => (from.content[block] as { text: string }).text;

/** Runs one tool call in a turn of its own. */
async function call(world: World, turn: number, input: unknown, tool = 'rows') {
  if (turn > 1) {
    await world.messages.append(runId, {
      agent: 'assistant',
      turn,
      role: 'assistant',
      content: [use(tool, input, `use-${turn}`)],
    });
  }
  await runTool({ runId, turn, index: 0, flow }, world);
  return outcome(world, turn);
}

describe('a selection rides on the tool call', () => {
  const select = { fields: ['name'], offset: 4_998, limit: 10 };

  test('that selection in place of the preview, with its coverage; the tool never sees it, no catalogue tool is called', async () => {
    const invoker = new ScriptedInvoker(big);
    const world = await runWorld({ answer: [use('rows', { query: 'all', _select: select })], invoker });
    const made = await call(world, 1, {});
    expect(invoker.asked.map(({ payload }) => (payload as { input: unknown }).input)).toEqual([{ query: 'all' }]);
    const { data, coverage, version } = JSON.parse(text(made));
    expect(data).toEqual([{ name: 'row 4999' }, { name: 'row 5000' }]);
    expect(coverage).toMatchObject({
      requested: 2,
      loaded: 2,
      total: 5_000,
      selection_complete: true,
      input_complete: false,
    });
    expect(version).toMatchObject({ ref: made.ref, version: 1, supersedes: null });
    expect(made.content.at(-1)).toMatchObject({ json: { data_reference: { ref: made.ref, coverage } } });
    expect(made.delivered).toMatchObject({ kind: 'read', ref: made.ref, ranges: [[4_998, 5_000]] });
  });

  test('an unknown field does not lose the result: said beside the preview', async () => {
    const world = await runWorld({
      answer: [use('rows', { _select: { fields: ['nope'] } })],
      invoker: new ScriptedInvoker(big),
    });
    const made = await call(world, 1, {});
    expect(made.status).toBe('success');
    expect(text(made)).toMatch(/^_select: UnknownField: .*known: id, name, note/);
    expect(made.content.at(-1)).toMatchObject({ json: { data_reference: { ref: made.ref } } });
  });

  test('a malformed one is refused and nothing is executed', async () => {
    const invoker = new ScriptedInvoker(big);
    const world = await runWorld({ answer: [use('rows', { _select: { limit: '5' } })], invoker });
    expect(await call(world, 1, {})).toMatchObject({ status: 'error', ref: null });
    expect(invoker.asked).toEqual([]);
  });
});

describe('versions', () => {
  test('a refresh is version 2 of version 1; a failed one leaves version 1 and the fact; a body deleted gives Expired and no tool call', async () => {
    const invoker = new ScriptedInvoker(big, big, { status: 'error', content: [{ text: 'down' }] });
    const world = await runWorld({ answer: [use('rows', { query: 'all' })], invoker });
    const first = await call(world, 1, {});
    const second = await call(world, 2, { query: 'all', refresh: true });
    const failed = await call(world, 3, { query: 'all', refresh: true });
    expect(failed.status).toBe('error');
    const rows = [...world.catalogue.entries.values()].map(({ ref, status, version, supersedes }) => ({
      ref,
      status,
      version,
      supersedes,
    }));
    expect(rows).toEqual([
      { ref: first.ref, status: 'stored', version: 1, supersedes: null },
      { ref: second.ref, status: 'stored', version: 2, supersedes: first.ref },
      { ref: expect.any(String), status: 'refresh_failed', version: 3, supersedes: second.ref },
    ]);
    const read = await readResult(run, { ref: first.ref, limit: 1 }, world);
    expect(JSON.parse(read.text).version).toMatchObject({ ref: first.ref, version: 1 });

    const calls = invoker.asked.length;
    world.store.bodies.delete(`${run.owner}/${first.ref}`);
    for (const key of [...world.store.bodies.keys()])
      if (key.endsWith(String(first.ref).slice(33))) world.store.bodies.delete(key);
    await expect(readResult(run, { ref: first.ref, limit: 1 }, world)).rejects.toMatchObject({ code: 'Expired' });
    expect(invoker.asked.length).toBe(calls);
    expect((await readResult(run, { ref: second.ref, limit: 1 }, world)).coverage.loaded).toBe(1);
  });
});

describe('reuse only where approved', () => {
  const reusing = { ...rowsTool, reuse: { maxAgeSeconds: 600 } };
  const twice = async (tool: typeof rowsTool, second: unknown) => {
    const invoker = new ScriptedInvoker(success({ text: rowsText(50) }));
    const world = await runWorld({ tools: [tool], answer: [use('rows', { query: 'all' })], invoker });
    const first = await call(world, 1, {});
    return { first, second: await call(world, 2, second), executions: invoker.asked.length };
  };
  test('the same call is answered from the stored version, and says so', async () => {
    const { first, second, executions } = await twice(reusing, { query: 'all' });
    expect([executions, second.ref]).toEqual([1, first.ref]);
    expect(text(second)).toMatch(
      /^Not executed: this is version 1 of the same call's result, acquired at 2026-11-30T12:00/,
    );
    expect(JSON.parse(text(second, 1)).data.at(-1)).toMatchObject({ id: 50, note: 'the last' });
  });
  test('also with the selection that rides on it', async () => {
    const { second, executions } = await twice(reusing, { query: 'all', _select: { fields: ['id'], offset: 49 } });
    expect([executions, JSON.parse(text(second, 1)).data]).toEqual([1, [{ id: 50 }]]);
  });
  test('within the tool’s own budget, with a line and a metric of its own', async () => {
    const invoker = new ScriptedInvoker(success({ text: rowsText(2_000) }));
    const tool = { ...reusing, budgetBytes: 5_000 };
    const world = await runWorld({ tools: [tool], answer: [use('rows', { query: 'all' })], invoker });
    const first = await call(world, 1, {});
    // Another run of the session: it remembers no oversize call.
    world.outcomes.items.clear();
    const second = await call(world, 2, { query: 'all' });
    expect([invoker.asked.length, second.ref]).toEqual([1, first.ref]);
    expect(text(second)).toMatch(/^Not executed: this is version 1/);
    expect(contentBytes(second.content)).toBeLessThanOrEqual(5_000);
    const facts = { runId, tool: 'rows', toolUseId: 'use-2', attempt: 0, reason: 'reuse', ref: first.ref };
    expect(world.telemetry.decisions).toContainEqual({ name: 'reused', facts });
    expect(world.telemetry.counts).toContainEqual({ metric: 'ToolRetry', value: 0, reason: 'reuse' });
  });
  test('not where the view was narrowed since: executed, and what it kept before is not granted', async () => {
    const invoker = new ScriptedInvoker(success({ text: rowsText(50) }));
    const world = await runWorld({ tools: [reusing], answer: [use('rows', { query: 'all' })], invoker });
    const first = await call(world, 1, {});
    const narrowed = { ...world, tools: toolCatalogue([{ ...reusing, view: { ops: ['id'] } }]) };
    const second = await call(narrowed, 2, { query: 'all' });
    expect([invoker.asked.length, second.ref === first.ref]).toEqual([2, false]);
    expect(JSON.stringify(second.content)).not.toContain('the last');
    expect(world.telemetry.decisions.map(({ name }) => name)).not.toContain('reused');
  });
  test.each<[string, typeof rowsTool, unknown]>([
    ['a tool that is not marked', rowsTool, { query: 'all' }],
    ['other arguments', reusing, { query: 'some' }],
    ['refresh', reusing, { query: 'all', refresh: true }],
  ])('%s: executed', async (_name, tool, second) => {
    expect((await twice(tool, second)).executions).toBe(2);
  });
});

test('a planted secret field is found nowhere: body, index, catalogue, outcome, log, list, read', async () => {
  const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `n${id}`, ssn_hidden: secret }));
  const tool = { ...rowsTool, view: { ops: ['id', 'name'] } };
  const invoker = new ScriptedInvoker(success({ text: JSON.stringify({ by: secret, rows }) }));
  const world = await runWorld({ tools: [tool], answer: [use('rows', { _select: { limit: 3 } })], invoker });
  const made = await call(world, 1, {});
  const list = await listResults(run, {}, { ...world, secret: Buffer.alloc(32, 7) });
  const read = await readResult(run, { ref: made.ref, offset: 2_999 }, world);
  expect(JSON.parse(read.text).data).toEqual([{ id: 2_999, name: 'n2999' }]);
  const everything = [
    ...[...world.store.bodies.values()].map((body) => body.content.toString('latin1')),
    JSON.stringify([
      ...world.store.indexes.values(),
      ...world.catalogue.entries.values(),
      ...world.outcomes.items.values(),
    ]),
    JSON.stringify(world.telemetry.decisions),
    list.text,
    read.text,
  ].join('\n');
  expect(everything).toContain('n2999');
  expect(everything).not.toContain(secret);
  expect(everything).not.toContain('ssn_hidden');
});
