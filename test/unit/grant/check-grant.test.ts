import type { CatalogueEntry } from '../../../core/catalogue/catalogue.ts';
import { ClaimcheckError } from '../../../core/errors.ts';
import { openGranted } from '../../../core/grant/check-grant.ts';
import { ownerKey } from '../../../core/reference/owner-key.ts';
import type { Grant, Run } from '../../../core/run/run.ts';
import { type ToolDefinition, toolCatalogue } from '../../../core/tool/tool-definition.ts';
import { MemoryCatalogue } from '../../fakes/memory-catalogue.ts';
import { ada, aSession, entryOf, indexOf, StoredBodies } from '../../fakes/stored-result.ts';

const bob = ownerKey('bob');
const otherSession = 'b'.repeat(32);
const id = (digit: string) => digit.repeat(32);
const tool = (name: string, roles: string[]) => ({ name, roles }) as unknown as ToolDefinition;
const tools = toolCatalogue([tool('listing', ['clerk']), tool('salaries', ['payroll'])]);
const now = new Date('2026-06-01T00:00:00Z');
const past = '2026-05-31T23:59:59Z';
const body = Buffer.from('[{"id":1}]');

const run = (change: Partial<Run> = {}): Run => ({
  runId: id('2'),
  owner: ada,
  username: 'ada',
  session: aSession,
  agent: 'a',
  roles: ['clerk'],
  rolesDigest: '',
  message: '',
  stateMachineArn: '',
  status: 'admitted',
  admittedAt: '',
  admittedReferences: [],
  ...change,
});

function world(entries: readonly Partial<CatalogueEntry>[], granted: readonly string[] = []) {
  const grants = new Map<string, Grant>(
    granted.map((ref) => [`${id('2')} ${ref}`, { ref, via: 'produced', grantedAt: '' }]),
  );
  const store = new StoredBodies();
  const rows = entries.map((change) => {
    const ref = change.ref ?? `${aSession}/${id('1')}`;
    const index = indexOf(body, { ref });
    store.bodies.set(ref, { body, index });
    return entryOf(index, change);
  });
  return {
    grants: {
      map: grants,
      give: async (runId: string, grant: Grant) => void grants.set(`${runId} ${grant.ref}`, grant),
      find: async (runId: string, ref: string) => grants.get(`${runId} ${ref}`),
      all: async () => [...grants.values()],
    },
    catalogue: new MemoryCatalogue(rows),
    tools,
    store,
    clock: { now: () => now },
  };
}

async function answer(promise: Promise<unknown>) {
  try {
    await promise;
    return 'opened';
  } catch (error) {
    if (!(error instanceof ClaimcheckError)) throw error;
    return { code: error.code, message: error.message, facts: error.facts };
  }
}

const mine = `${aSession}/${id('1')}`;
const elsewhere = `${otherSession}/${id('1')}`;

describe('a run opens', () => {
  test('what it produced itself', async () => {
    const ports = world([{}], [mine]);
    const { index, address } = await openGranted(run(), mine, ports);
    expect(index.ref).toBe(mine);
    expect(address).toEqual({ owner: ada, session: aSession, id: id('1') });
  });
  test('a result of its session, and is granted it at the first read, by the roles of its admission', async () => {
    const ports = world([{ gates: ['listing'] }]);
    await openGranted(run(), mine, ports);
    expect(ports.grants.map.get(`${id('2')} ${mine}`)).toEqual({
      ref: mine,
      via: 'session',
      grantedAt: now.toISOString(),
    });
  });
  test('a result of another session that it was admitted with', async () => {
    const ports = world([{ ref: elsewhere }]);
    expect(await answer(openGranted(run(), elsewhere, ports))).toMatchObject({ code: 'NotFound' });
    await openGranted(run({ admittedReferences: [elsewhere] }), elsewhere, ports);
    expect(ports.grants.map.get(`${id('2')} ${elsewhere}`)?.via).toBe('admitted');
  });
  test('what it holds a grant for, whatever became of the roles since', async () => {
    const ports = world([{ gates: ['salaries'] }], [mine]);
    expect(await answer(openGranted(run(), mine, ports))).toBe('opened');
  });
  test('the old version it holds a grant for, never the new one in its place', async () => {
    const newer = `${aSession}/${id('3')}`;
    const ports = world([{}, { ref: newer, version: 2, supersedes: mine }], [mine]);
    const { index, entry } = await openGranted(run(), mine, ports);
    expect([index.ref, entry.version]).toEqual([mine, 1]);
  });
});

describe('case H021: a reference after the chat was saved and loaded', () => {
  const later = { runId: id('8') };
  test('a new run of the same chat, in a fresh process, reads it', async () => {
    const ports = world([{}], [mine]);
    expect(await answer(openGranted(run(later), mine, ports))).toBe('opened');
  });
  test('a run of a second chat does not, unless it was admitted with it; another owner never', async () => {
    const second = { ...later, session: otherSession };
    expect(await answer(openGranted(run(second), mine, world([{}], [mine])))).toMatchObject({ code: 'NotFound' });
    expect(await answer(openGranted(run({ ...second, admittedReferences: [mine] }), mine, world([{}])))).toBe('opened');
    const stranger = run({ ...second, owner: bob, admittedReferences: [mine] });
    expect(await answer(openGranted(stranger, mine, world([{}])))).toMatchObject({ code: 'NotFound' });
  });
});

describe('refusals', () => {
  const unknown = answer(openGranted(run(), `${aSession}/${id('f')}`, world([])));

  test.each<[string, Promise<unknown>]>([
    ['another owner', answer(openGranted(run({ owner: bob, session: aSession }), mine, world([{}])))],
    ['another session', answer(openGranted(run({ session: otherSession }), mine, world([{}])))],
    [
      'another run of another session',
      answer(openGranted(run({ runId: id('7'), session: otherSession }), mine, world([{}], [mine]))),
    ],
    ['role revoked before admission', answer(openGranted(run({ roles: ['visitor'] }), mine, world([{}])))],
    ['one of several gates closed', answer(openGranted(run(), mine, world([{ gates: ['listing', 'salaries'] }])))],
    ['an unknown tool among the gates', answer(openGranted(run(), mine, world([{ gates: ['listing', 'retired'] }])))],
    ['no gate at all', answer(openGranted(run(), mine, world([{ gates: [] }])))],
    ['expired, never granted', answer(openGranted(run(), mine, world([{ availableUntil: past }])))],
    ['a failed refresh is no result', answer(openGranted(run(), mine, world([{ status: 'refresh_failed' }], [mine])))],
    [
      'admitted with it, but role gone',
      answer(openGranted(run({ roles: [], admittedReferences: [elsewhere] }), elsewhere, world([{ ref: elsewhere }]))),
    ],
  ])('%s: word for word what an unknown reference hears', async (_name, refused) => {
    expect(await refused).toEqual(await unknown);
    expect(await refused).toMatchObject({ code: 'NotFound', facts: {} });
  });

  test.each([
    '',
    'x',
    `${aSession}/${id('1')} `,
    `${aSession}/${'A'.repeat(32)}`,
    `../${id('1')}`,
    `${aSession}/${id('1')}/body`,
    `${aSession}/${id('1')}\n`,
    null,
    7,
    {},
  ])('malformed %j: BadReference, and nothing is looked up', async (ref) => {
    const ports = world([{}]);
    expect(await answer(openGranted(run(), ref, ports))).toMatchObject({ code: 'BadReference' });
    expect([ports.catalogue.calls, ports.store.requests]).toEqual([0, 0]);
  });

  test('its own grant past the date: Expired, at the very instant', async () => {
    const ports = world([{ availableUntil: now.toISOString() }], [mine]);
    expect(await answer(openGranted(run(), mine, ports))).toMatchObject({ code: 'Expired' });
    expect(ports.store.requests).toBe(0);
  });

  test('its own grant whose copy is gone: Expired, and no other version is tried', async () => {
    const newer = `${aSession}/${id('3')}`;
    const ports = world([{}, { ref: newer, version: 2, supersedes: mine }], [mine, newer]);
    ports.store.bodies.delete(mine);
    expect(await answer(openGranted(run(), mine, ports))).toMatchObject({ code: 'Expired', facts: { ref: mine } });
    expect(ports.store.requests).toBe(1);
  });
});
