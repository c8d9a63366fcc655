import { callModel } from '../../../core/flow/call-model.ts';
import type { ModelReply } from '../../../core/model/model.ts';
import { checkRunTokens, tokensOf } from '../../../core/quota/run-tokens.ts';
import { admitRun } from '../../../core/run/admit.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { keepResult } from '../../../core/store/keep-result.ts';
import { silentTelemetry } from '../../../core/telemetry/telemetry.ts';
import { MemoryStarter } from '../../fakes/memory-runs.ts';
import {
  arn,
  flow,
  type RecordingTelemetry,
  rowsText,
  rowsTool,
  run,
  runId,
  runWorld,
  session,
  success,
  use,
} from '../../fakes/run-world.ts';

const usage = { inputTokens: 400, outputTokens: 100, cacheReadInputTokens: 300, cacheWriteInputTokens: 200 };

async function world(change: Parameters<typeof runWorld>[0] = {}) {
  const made = await runWorld(change);
  const asked: unknown[] = [];
  return {
    ...made,
    asked,
    instructions: () => 'Answer.',
    modelSettings: () => ({ modelId: 'm', windowTokens: 200_000, maxTokens: 4_096, cachePoints: true }),
    history: async () => [],
    converse: async (request: unknown): Promise<ModelReply> => {
      asked.push(request);
      return {
        message: { role: 'assistant', content: [use('rows', {}, `use-${asked.length}`)] },
        stopReason: 'tool_use',
        usage,
      };
    },
  };
}
const event = { runId, agent: 'assistant', flow };
const refusals = (telemetry: RecordingTelemetry) =>
  telemetry.counts.filter(({ metric }) => metric === 'QuotaRefused').map(({ reason }) => reason);

test('tokens of every kind count, over all calls of the run; the call after the line is refused, with code and metric', async () => {
  const settings = { ...defaultSettings, quota: { ...defaultSettings.quota, runTokens: 2_000 } };
  const ports = await world({ settings });
  await callModel({ ...event, turn: 1 }, ports);
  await callModel({ ...event, turn: 2 }, ports);
  expect(refusals(ports.telemetry)).toEqual([]);
  await expect(callModel({ ...event, turn: 3 }, ports)).rejects.toMatchObject({
    code: 'QuotaExceeded',
    retryable: false,
    facts: { used: 2_000, maxTokens: 2_000 },
  });
  expect(ports.asked).toHaveLength(2);
  expect(refusals(ports.telemetry)).toEqual(['tokens']);
  // A repeat of what was answered before the line is still answered.
  expect(await callModel({ ...event, turn: 2 }, ports)).toMatchObject({ outcome: 'ok', turn: 2 });
});

test.each([
  [999, true],
  [1_000, false],
  [1_001, false],
])('with 1,000 tokens allowed and %i used, the next call is made: %s', (used, allowed) => {
  const calls = [{ usage: { ...usage, inputTokens: used - 600 } }];
  expect(tokensOf(calls[0]?.usage ?? usage)).toBe(used);
  const check = () => checkRunTokens(calls, 1_000, silentTelemetry);
  if (allowed) expect(check).not.toThrow();
  else expect(check).toThrow('tokens are used');
});

test('turns: the one beyond run.maxTurns is refused, with code and metric, and no model is asked', async () => {
  const settings = { ...defaultSettings, run: { ...defaultSettings.run, maxTurns: 2 } };
  const ports = await world({ settings });
  await callModel({ ...event, turn: 1 }, ports);
  await callModel({ ...event, turn: 2 }, ports);
  await expect(callModel({ ...event, turn: 3 }, ports)).rejects.toMatchObject({ code: 'TurnLimit', retryable: false });
  expect(ports.asked).toHaveLength(2);
  expect(refusals(ports.telemetry)).toEqual(['turns']);
});

test('bytes of an owner: the result that would cross quota.ownerBytes is not stored, with code and metric', async () => {
  const bytes = Buffer.byteLength(rowsText(5_000), 'utf8');
  for (const [ownerBytes, stored] of [
    [bytes, true],
    [bytes - 1, false],
  ] as const) {
    const ports = await runWorld({ settings: { ...defaultSettings, quota: { ...defaultSettings.quota, ownerBytes } } });
    const kept = await keepResult(
      {
        run,
        turn: 1,
        index: 0,
        tool: rowsTool,
        result: success({ text: rowsText(5_000) }),
        input: {},
        resultId: 'c'.repeat(32),
        callDigest: 'd'.repeat(64),
        availableUntil: '2026-12-30T12:00:00.000Z',
        supersedes: null,
      },
      ports,
    );
    expect(kept.stored !== null).toBe(stored);
    expect(refusals(ports.telemetry)).toEqual(stored ? [] : ['owner_bytes']);
    if (!stored) expect(kept.warnings).toEqual(['not stored: QuotaExceeded']);
  }
});

test('parallel runs: the one beyond run.parallelPerOwner is not admitted, with code and metric; another owner is', async () => {
  const settings = { ...defaultSettings, run: { ...defaultSettings.run, parallelPerOwner: 2 } };
  const made = await runWorld({ settings });
  const ports = { ...made, starter: new MemoryStarter(), flows: { assistant: arn }, currentRoles: async () => ['ops'] };
  const request = (n: number, owner = run.owner) => ({
    runId: String(n).repeat(32),
    owner,
    holder: { username: 'ada' },
    session,
    agent: 'assistant',
    message: 'What is there?',
  });
  await admitRun(request(1), ports);
  await admitRun(request(2), ports);
  await expect(admitRun(request(3), ports)).rejects.toMatchObject({ code: 'QuotaExceeded', retryable: false });
  expect(refusals(ports.telemetry)).toEqual(['parallel_runs']);
  await expect(admitRun(request(4, 'bob' as typeof run.owner), ports)).resolves.toMatchObject({ created: true });
});
