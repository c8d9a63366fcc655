import { ClaimcheckError } from '../../../core/errors.ts';
import { closeRun } from '../../../core/flow/close-run.ts';
import { arn, runId, runWorld } from '../../fakes/run-world.ts';

const ended = (status: string) => ({ runId, stateMachineArn: arn, status });

it.each([
  ['FAILED', /failed before it could answer/],
  ['TIMED_OUT', /took too long/],
  ['ABORTED', /was stopped/],
  ['SUCCEEDED', /without an answer/],
])('%s: the turn is saved, then the run is closed with a sentence for a person', async (status, sentence) => {
  const world = await runWorld();
  await world.activeRuns.enter('ada', runId);
  const saved: string[] = [];
  await closeRun(ended(status), {
    ...world,
    saveFailedTurn: async (run, failure) => {
      expect(run.status).toBe('admitted');
      saved.push(failure);
    },
  });
  expect(saved).toEqual([expect.stringMatching(sentence)]);
  expect(await world.runs.get(runId)).toMatchObject({ status: 'failed', failure: saved[0] });
  expect(world.activeRuns.items.size).toBe(0);
});

it.each([
  ['past its date', 'Expired'],
  ['of an erased owner', 'Forbidden'],
] as const)('a chat that is %s takes no turn any more, and the run is closed all the same', async (_name, code) => {
  const world = await runWorld();
  const refused = async () => Promise.reject(new ClaimcheckError(code, 'no'));
  await closeRun(ended('FAILED'), { ...world, saveFailedTurn: refused });
  expect(await world.runs.get(runId)).toMatchObject({ status: 'failed' });
});

it('a chat that cannot be written now is tried again: the run stays open', async () => {
  const world = await runWorld();
  const refused = async () => Promise.reject(new ClaimcheckError('StorageUnavailable', 'not now'));
  await expect(closeRun(ended('FAILED'), { ...world, saveFailedTurn: refused })).rejects.toThrow('not now');
  expect(await world.runs.get(runId)).toMatchObject({ status: 'admitted' });
});

it('a run that has ended properly stays as it is and is counted no more', async () => {
  const world = await runWorld();
  await world.activeRuns.enter('ada', runId);
  await world.runs.close(runId, { status: 'succeeded', endedAt: 'then' });
  await closeRun(ended('SUCCEEDED'), world);
  expect(await world.runs.get(runId)).toMatchObject({ status: 'succeeded', endedAt: 'then' });
  expect(world.activeRuns.items.size).toBe(0);
});

it.each([
  ['one that still runs', ended('RUNNING')],
  ['an unknown run', { ...ended('FAILED'), runId: 'f'.repeat(32) }],
  ['another flow of the same name', { ...ended('FAILED'), stateMachineArn: `${arn}-other` }],
])('leaves %s alone', async (_name, execution) => {
  const world = await runWorld();
  await closeRun(execution, world);
  expect(await world.runs.get(runId)).toMatchObject({ status: 'admitted' });
});
