import { ClaimcheckError } from '../../../core/errors.ts';
import { type AdmissionRequest, admitRun } from '../../../core/run/admit.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { researchAgents } from '../../../lib/flows/definitions.ts';
import { MemoryStarter } from '../../fakes/memory-runs.ts';
import { arn, rowsTool, run, runId, runWorld, session } from '../../fakes/run-world.ts';

const newRun = '1'.repeat(32);
const request: AdmissionRequest = {
  runId: newRun,
  owner: run.owner,
  holder: { username: 'ada' },
  session,
  agent: 'assistant',
  message: 'Which region fails most?',
};

async function admission(roles: readonly string[] | Error = ['ops', 'analyst', 'ops']) {
  const world = await runWorld();
  return {
    ...world,
    starter: new MemoryStarter(),
    flows: { assistant: arn },
    currentRoles: async () => {
      if (roles instanceof Error) throw roles;
      return roles;
    },
  };
}

it('records the run with the roles held now, writes the question, then starts the execution', async () => {
  const ports = await admission();
  expect(await admitRun(request, ports)).toEqual({ runId: newRun, session, created: true });
  expect(await ports.runs.get(newRun)).toMatchObject({
    roles: ['analyst', 'ops'],
    status: 'admitted',
    stateMachineArn: arn,
  });
  expect((await ports.messages.find(newRun, 0, 'user'))?.content).toEqual([{ text: request.message }]);
  expect(ports.starter.started).toEqual([`${arn}|${newRun}`]);
});

it('the question of a flow of several agents is for the first of them', async () => {
  const ports = { ...(await admission()), flows: { research: arn } };
  await admitRun({ ...request, agent: 'research' }, ports);
  expect(await ports.messages.thread(newRun, 'fetcher')).toHaveLength(1);
  // The definition of the flow and this name must not drift apart.
  expect(researchAgents[0]).toBe('fetcher');
});

it('a repeat is the same run; one that died before the start is finished', async () => {
  const ports = await admission();
  ports.starter.failures = 1;
  await expect(admitRun(request, ports)).rejects.toThrow('not now');
  expect(await admitRun(request, ports)).toMatchObject({ created: false });
  expect(ports.starter.started).toHaveLength(1);
  await ports.runs.close(newRun, { status: 'succeeded', endedAt: 'x' });
  expect(await admitRun(request, ports)).toMatchObject({ created: false });
  expect(ports.starter.started).toHaveLength(1);
});

it('the same id with another chat or other references is another request', async () => {
  const ports = await admission();
  await admitRun({ ...request, newSession: true }, ports);
  for (const change of [{ session: '9'.repeat(32) }, { references: [`${session}/${'2'.repeat(32)}`] }]) {
    await expect(admitRun({ ...request, ...change }, ports)).rejects.toMatchObject({ code: 'InvalidInput' });
  }
  // Without a chat of its own, each repeat comes with a new session and means the first one's.
  const again = await admitRun({ ...request, session: '9'.repeat(32), newSession: true }, ports);
  expect(again).toEqual({ runId: newRun, session, created: false });
});

it('half a surrogate pair in a message: stored as text, and recognised when it is repeated', async () => {
  const ports = await admission();
  const torn = { ...request, message: 'Which \ud83d region?' };
  await admitRun(torn, ports);
  expect(await ports.runs.get(newRun)).toMatchObject({ message: 'Which \ufffd region?' });
  expect(await admitRun(torn, ports)).toMatchObject({ created: false });
});

it.each([
  ['an unknown agent', { agent: 'nobody' }, 'InvalidInput'],
  ['a name from the prototype', { agent: 'constructor' }, 'InvalidInput'],
  ['another flow’s state machine', { stateMachineArn: `${arn}-other` }, 'InvalidInput'],
  ['a blank message', { message: ' \n' }, 'InvalidInput'],
  ['a message one byte too long', { message: `${'é'.repeat(32 * 1024)}x` }, 'InvalidInput'],
  ['a run id that is none', { runId: 'A'.repeat(32) }, 'InvalidInput'],
  ['a session that is none', { session: '../other' }, 'InvalidInput'],
  ['a malformed reference', { references: ['x'] }, 'BadReference'],
  ['an unknown reference', { references: [`${session}/${'2'.repeat(32)}`] }, 'NotFound'],
  ['a run id in use for another message', { runId, message: 'Something else' }, 'InvalidInput'],
  ['somebody else’s run id', { runId, owner: 'bob' as never }, 'InvalidInput'],
] as const)('refuses %s', async (_name, change, code) => {
  const ports = await admission();
  await expect(admitRun({ ...request, ...change }, ports)).rejects.toMatchObject({ code });
  expect(ports.starter.started).toEqual([]);
  expect(await ports.runs.get(newRun)).toBeUndefined();
});

it('takes a message of exactly the limit', async () => {
  expect(await admitRun({ ...request, message: 'é'.repeat(32 * 1024) }, await admission())).toMatchObject({
    created: true,
  });
});

it('a failed look-up of roles refuses, and so does an erased owner', async () => {
  const unknown = await admission(new ClaimcheckError('RolesUnavailable', 'not now'));
  await expect(admitRun(request, unknown)).rejects.toMatchObject({ code: 'RolesUnavailable' });
  expect(await unknown.runs.get(newRun)).toBeUndefined();
  const erased = await admission();
  erased.erasures.erased.add('ada');
  await expect(admitRun(request, erased)).rejects.toMatchObject({ code: 'Forbidden' });
});

it('admits as many runs at once as the setting says, and again when one has ended', async () => {
  const settings = { ...defaultSettings, run: { ...defaultSettings.run, parallelPerOwner: 2 } };
  const ports = { ...(await admission()), settings };
  const id = (n: number) => n.toString(16).padStart(32, '0');
  await admitRun({ ...request, runId: id(1) }, ports);
  await admitRun({ ...request, runId: id(2) }, ports);
  await expect(admitRun({ ...request, runId: id(3) }, ports)).rejects.toMatchObject({ code: 'QuotaExceeded' });
  // A repeat of a running one is no new run.
  expect(await admitRun({ ...request, runId: id(2) }, ports)).toMatchObject({ created: false });
  await ports.activeRuns.leave('ada', id(1));
  expect(await admitRun({ ...request, runId: id(3) }, ports)).toMatchObject({ created: true });
  // The event that should have said so was lost: the record of the run says that it has ended.
  await ports.runs.close(id(2), { status: 'succeeded', endedAt: 'x' });
  expect(await admitRun({ ...request, runId: id(4) }, ports)).toMatchObject({ created: true });
  await expect(admitRun({ ...request, runId: id(5) }, ports)).rejects.toMatchObject({ code: 'QuotaExceeded' });
});

describe('references', () => {
  const ref = `${'4'.repeat(32)}/${'5'.repeat(32)}`;
  const entry = {
    owner: run.owner,
    ref,
    status: 'stored',
    tool: 'rows',
    gates: ['rows'],
    availableUntil: '2026-12-30T00:00:00.000Z',
  };

  it('own, kept and allowed now: recorded and granted', async () => {
    const ports = await admission();
    await ports.catalogue.add(entry as never);
    await admitRun({ ...request, references: [ref, ref] }, ports);
    expect((await ports.runs.get(newRun))?.admittedReferences).toEqual([ref]);
    expect(await ports.grants.find(newRun, ref)).toMatchObject({ via: 'admitted' });
  });

  it.each([
    ['another owner’s', { owner: 'bob' }, ['ops']],
    ['past its date', { availableUntil: '2026-11-30T12:00:00.000Z' }, ['ops']],
    ['closed to the roles held now', {}, ['analyst']],
    ['of a tool that is gone', { gates: ['gone'] }, ['ops']],
    ['of a failed refresh', { status: 'refresh_failed' }, ['ops']],
  ])('%s: one and the same refusal', async (_name, change, roles) => {
    const ports = await admission(roles);
    await ports.catalogue.add({ ...entry, ...change } as never);
    await expect(admitRun({ ...request, references: [ref] }, ports)).rejects.toThrow(
      'references: one of them is not yours to read',
    );
    expect(rowsTool.roles).toEqual(['ops']);
  });
});
