import { checkRun } from '../../../core/run/check-run.ts';
import type { Run } from '../../../core/run/run.ts';
import { flow, run, runId } from '../../fakes/run-world.ts';

const now = new Date(run.admittedAt);

/** What the log lines of the step get to know, and how it ended. */
async function checked(found: Run | undefined, speaking = flow) {
  const added: unknown[] = [];
  const runs = { get: async () => found } as unknown as Parameters<typeof checkRun>[2]['runs'];
  const telemetry = { add: (facts: unknown) => void added.push(facts) };
  const ports = { runs, clock: { now: () => now }, telemetry, maxAgeSeconds: 60 };
  const code = await checkRun(runId, speaking, ports).then(
    () => 'open',
    (error: { readonly code: string }) => error.code,
  );
  return { code, added };
}

test.each<[string, Run]>([
  ['open', run],
  ['Forbidden', { ...run, status: 'failed' }],
  ['Expired', { ...run, admittedAt: new Date(now.getTime() - 61_000).toISOString() }],
])('%s: every later line, that of a refusal too, has the session', async (code, found) => {
  expect(await checked(found)).toEqual({ code, added: [{ session: run.session }] });
});

test('a flow that speaks of a run that is not its own learns of no session, in no log either', async () => {
  expect(await checked(run, { ...flow, stateMachine: 'arn:another' })).toEqual({ code: 'Forbidden', added: [] });
  expect(await checked(undefined)).toEqual({ code: 'NotFound', added: [] });
});
