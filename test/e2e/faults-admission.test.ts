import { randomUUID } from 'node:crypto';
import { newId } from '../../core/reference/reference.ts';
import { killPoints } from './kill-points.ts';
import { KilledRuns, named } from './killed-runs.ts';
import { testPlatform } from './platform.ts';
import { noting } from './questions.ts';

// Both ways of admission are killed before and after what they do. Who asked asks the same again, and there is one run.
jest.setTimeout(180_000);
const platform = testPlatform();
const { agent, message } = noting;
const runs = new KilledRuns(platform, ['admit-run', 'api']);
beforeAll(() => runs.start());
afterAll(() => runs.stop());

async function pointsOf(name: string, admit: () => Promise<string>) {
  const requests = await runs.requests(async () => runs.executionEnded(agent, await admit()));
  const points = killPoints(requests.get(named(name)) ?? []);
  // Before and after the run's record, and after the start of its execution.
  expect(points.length).toBeGreaterThan(2);
  return points;
}

test('admit-run is killed: its event comes again, and there is one run', async () => {
  const event = () => {
    const [runId, session, owner] = [newId(), newId(), `killed-${newId()}`];
    return { runId, session, owner, username: 'olivia', agent, message, stateMachineArn: platform.flowArn(agent) };
  };
  const points = await pointsOf('admit-run', async () => {
    const quiet = event();
    const { runId } = quiet;
    expect(await platform.invoke('admit-run', quiet)).toMatchObject({ fault: false, answer: { runId } });
    return runId;
  });
  for (const point of points) {
    const killed = event();
    const { runId, session } = killed;
    runs.kill('admit-run', point);
    expect(await platform.invoke('admit-run', killed)).toMatchObject({
      fault: true,
      answer: { errorType: 'Runtime.ExitError' },
    });
    const again = await platform.invoke('admit-run', killed);
    expect(again).toMatchObject({ fault: false, answer: { runId, session } });
    await runs.executionEnded(agent, runId);
    const row = ['admit-run', point.kind, `${point.place}, ${point.occurrence}`];
    expect(await runs.examined(runId, noting, row)).toMatchObject({ whole: 1 });
    expect(runs.deaths).toBe(1);
  }
});

test('api is killed while it admits: the same POST again is the same run', async () => {
  const post = async (idempotencyKey: string) => {
    const response = await (await platform.signedIn('olivia')).request('/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent, message, idempotencyKey }),
    });
    return { status: response.status, body: (await response.json()) as { runId: string } };
  };
  const points = await pointsOf('api', async () => {
    const { status, body } = await post(randomUUID());
    expect(status).toBe(202);
    return body.runId;
  });
  for (const point of points) {
    const key = randomUUID();
    runs.kill('api', point);
    expect((await post(key)).status).toBeGreaterThanOrEqual(500);
    const again = await post(key);
    expect(again.status).toBe(202);
    await runs.executionEnded(agent, again.body.runId);
    const row = ['api', point.kind, `${point.place}, ${point.occurrence}`];
    expect(await runs.examined(again.body.runId, noting, row)).toMatchObject({ whole: 1 });
    expect(runs.deaths).toBe(1);
  }
});
