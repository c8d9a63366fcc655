import { download } from '../../../core/download/download.ts';
import type { DownloadTarget } from '../../../core/download/download-objects.ts';
import { identityOf } from '../../../core/identity/identity.ts';
import { newId } from '../../../core/reference/reference.ts';
import type { MetricName } from '../../../core/telemetry/telemetry.ts';
import { toolCatalogue } from '../../../core/tool/tool-definition.ts';
import { MemoryObjects } from '../../fakes/memory-objects.ts';
import { statusTool } from '../../fakes/people-app.ts';

const olivia = identityOf({ sub: 'olivia' }, { kind: 'cognito' });
const arthur = identityOf({ sub: 'arthur' }, { kind: 'cognito' });
const now = new Date('2026-06-01T12:00:00Z');

function world(roles: readonly string[] = ['ops']) {
  const objects = new MemoryObjects();
  const counted: [MetricName, string | undefined][] = [];
  let lookUps = 0;
  const ports = {
    objects,
    roles: {
      rolesOf: async () => {
        lookUps += 1;
        return roles;
      },
    },
    tools: toolCatalogue([statusTool, { ...statusTool, name: 'flights', roles: ['analyst'] }]),
    telemetry: {
      decision: () => {},
      count: (metric: MetricName, _value?: number, dimensions?: { readonly reason?: string }) => {
        counted.push([metric, dimensions?.reason]);
      },
    },
    clock: { now: () => now },
    urlSeconds: 60,
  };
  return { objects, ports, counted, lookUps: () => lookUps };
}

const result = (): DownloadTarget => ({ kind: 'result', session: newId(), id: newId() });

test('the owner gets a link to the exact object, as an attachment, for a minute', async () => {
  const { objects, ports } = world();
  const target = result();
  objects.put('olivia', target, { fileName: 'Größe.json' });
  const link = new URL(await download(olivia, target, ports));
  expect(link.pathname).toBe(`/results/olivia/${target.kind === 'result' ? target.session : ''}/${target.id}`);
  expect(link.searchParams.get('disposition')).toContain("filename*=UTF-8''Gr%C3%B6%C3%9Fe.json");
  expect(link.searchParams.get('expires')).toBe('60');
});

test('a result that a wider view stored needs that view; the refusal names the tool and no field', async () => {
  const wide = { tools: ['service_status{id,salary}'] };
  const asked = async (roles: readonly string[]) => {
    const { objects, ports, counted } = world(roles);
    const tools = toolCatalogue([{ ...statusTool, roles: ['ops', 'hr'], view: { ops: ['id'], hr: ['id', 'salary'] } }]);
    const target = result();
    objects.put('olivia', target, wide);
    const answer = await download(olivia, target, { ...ports, tools }).catch((error: unknown) => error);
    return { answer, counted };
  };
  expect(typeof (await asked(['ops', 'hr'])).answer).toBe('string');
  const { answer, counted } = await asked(['ops']);
  expect(answer).toMatchObject({ code: 'RoleRevoked', facts: { tools: ['service_status'] } });
  expect(String(answer)).not.toContain('salary');
  expect(counted).toEqual([['DownloadDenied', 'role']]);
});

test('the decision costs one look and one role look-up', async () => {
  const { objects, ports, lookUps } = world();
  const target = result();
  objects.put('olivia', target);
  await download(olivia, target, ports);
  expect([objects.looks.length, lookUps()]).toEqual([1, 1]);
});

test('another person’s id, an unknown and a deleted one are one refusal after one look under the caller’s own prefix', async () => {
  const { objects, ports, lookUps } = world();
  const theirs = result();
  objects.put('olivia', theirs);
  const deleted = result();
  objects.put('arthur', deleted);
  objects.facts.clear();
  objects.put('olivia', theirs);
  const refusals = [];
  for (const target of [theirs, result(), deleted]) {
    const looksBefore = objects.looks.length;
    const refusal = await download(arthur, target, ports).catch((error: unknown) => error);
    refusals.push(JSON.stringify(refusal), `${(refusal as Error).name} ${(refusal as Error).message}`);
    expect(objects.looks.slice(looksBefore)).toEqual([expect.stringMatching(/^results\/arthur\//)]);
  }
  expect(new Set(refusals).size).toBe(2);
  // Roles are not looked up for what is not there: one code path for all three.
  expect(lookUps()).toBe(0);
});

const id = '0123456789abcdef0123456789abcdef';
test.each([
  ['31 digits', id.slice(1)],
  ['33 digits', `${id}0`],
  ['upper case', id.toUpperCase()],
  ['dots', '..'],
  ['encoded dots', '%2e%2e'],
  ['a path', `${id}/../${id}`],
  ['a line end', `${id}\n`],
  ['a NUL', `${id}\0`],
  ['full-width digits', id.replaceAll('0', '０')],
  ['nothing', ''],
])('an id of %s never touches storage', async (_name, bad) => {
  const { objects, ports, counted } = world();
  const targets: DownloadTarget[] = [
    { kind: 'result', session: id, id: bad },
    { kind: 'result', session: bad, id },
    { kind: 'export', id: bad },
  ];
  for (const target of targets) {
    await expect(download(olivia, target, ports)).rejects.toMatchObject({ code: 'NotFound', message: 'Not found.' });
  }
  expect(objects.looks).toEqual([]);
  expect(counted).toContainEqual(['DownloadDenied', 'malformed']);
});

test('own and expired is told apart, to the second', async () => {
  const { objects, ports } = world();
  const target = result();
  objects.put('olivia', target, { availableUntil: '2026-06-01T12:00:00Z' });
  await expect(download(olivia, target, ports)).rejects.toMatchObject({ code: 'Expired' });
  objects.put('olivia', target, { availableUntil: '2026-06-01T12:00:01Z' });
  await expect(download(olivia, target, ports)).resolves.toContain('https://');
  objects.put('olivia', target, { availableUntil: 'soon' });
  await expect(download(olivia, target, ports)).rejects.toMatchObject({ code: 'Expired' });
});

test('own and no longer allowed is told, before the date is looked at', async () => {
  const { objects, ports } = world(['analyst']);
  const target = result();
  objects.put('olivia', target, { availableUntil: '2020-01-01T00:00:00Z' });
  await expect(download(olivia, target, ports)).rejects.toMatchObject({ code: 'RoleRevoked' });
});

test('a derived object carries the gates of all its sources', async () => {
  const target = result();
  for (const [roles, opens] of [
    [['ops'], false],
    [['analyst'], false],
    [['ops', 'analyst'], true],
    [['OPS', 'analyst'], false],
    [['ops-readonly', 'analyst'], false],
  ] as const) {
    const { objects, ports } = world(roles);
    objects.put('olivia', target, { tools: ['service_status', 'flights'] });
    const outcome = await download(olivia, target, ports).then(
      () => true,
      () => false,
    );
    expect([roles, outcome]).toEqual([roles, opens]);
  }
});

test('an object of an unknown tool, or of none, opens for nobody', async () => {
  for (const tools of [[], ['gone_tool'], ['service_status', 'gone_tool']]) {
    const { objects, ports } = world(['ops', 'analyst', '*']);
    const target = result();
    objects.put('olivia', target, { tools });
    await expect(download(olivia, target, ports)).rejects.toMatchObject({ code: 'RoleRevoked' });
  }
});

test('trouble of the store and of the role source is neither "not found" nor a link', async () => {
  const { objects, ports } = world();
  const target = result();
  objects.put('olivia', target);
  const downSource = { ...ports, roles: { rolesOf: async () => Promise.reject(new Error('down')) } };
  await expect(download(olivia, target, downSource)).rejects.toMatchObject({ code: 'RolesUnavailable' });
  objects.down = true;
  await expect(download(olivia, target, ports)).rejects.toMatchObject({ code: 'StorageUnavailable' });
});
