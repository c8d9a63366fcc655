import { type FaultKind, FaultProxy } from '../../local/fault-proxy.ts';
import { requestsOfRunTool } from '../../scripts/cost-usage.ts';
import { TableServer } from '../fakes/table-server.ts';
import {
  type FlowWorld,
  flowWorld,
  makePlaces,
  newRun,
  type RunIds,
  type StepName,
  step,
  steps,
  type Verdict,
  verdict,
} from './faults-world.ts';
import { type EmulatedServices, emulatedServices } from './ministack.ts';

jest.setTimeout(240_000);
let services: EmulatedServices;
let proxy: FaultProxy;
/** The same two servers behind one address, without a fault. */
let open: FaultProxy;
const tableServer = new TableServer();
let faulty: FlowWorld;
let direct: FlowWorld;
/** Requests of each step of a run without faults: where faults can strike. */
const requests = new Map<StepName, readonly string[]>();

interface Line {
  readonly kind: string;
  readonly place: string;
  readonly outcome: string;
}
const table: Line[] = [];
let injected = 0;

beforeAll(async () => {
  services = await emulatedServices();
  const tables = await tableServer.listen();
  proxy = new FaultProxy(services.url, tables);
  open = new FaultProxy(services.url, tables);
  const openUrl = await open.start();
  await makePlaces(openUrl);
  faulty = flowWorld(await proxy.start());
  direct = flowWorld(openUrl);
  const ids = newRun();
  for (const name of steps) {
    proxy.restart();
    await step(name, ids, faulty);
    requests.set(name, [...proxy.places]);
  }
  expect(await verdict(ids, direct, faulty)).toMatchObject({
    ended: true,
    whole: 2,
    said: 0,
    lost: [],
    dangling: [],
    doubled: [],
  });
}, 240_000);

afterAll(async () => {
  process.stdout.write(`\n${faultTable()}\n`);
  faulty.stop();
  direct.stop();
  proxy.stop();
  open.stop();
  tableServer.stop();
  await services.stop();
});

/** A flow as Step Functions drives it: a step that throws leads to the failed turn. `again`: its event comes again. */
async function drive(
  ids: RunIds,
  at: StepName,
  plan: (number: number, place: string) => FaultKind | undefined,
  again: boolean,
): Promise<void> {
  for (const name of steps) {
    proxy.restart();
    proxy.plan = name === at ? ({ number, place }) => note(plan(number, place)) : () => undefined;
    let failed = false;
    try {
      const answer = await step(name, ids, faulty);
      failed = proxy.dead || (answer as { outcome?: string }).outcome === 'error';
    } catch {
      failed = true;
    }
    proxy.plan = () => undefined;
    proxy.restart();
    if (failed && again) await step(name, ids, faulty);
    else if (failed && name === 'admit') return;
    else if (failed) {
      await step('save-turn', ids, faulty, { code: 'Fault' });
      return;
    }
  }
}

function note(kind: FaultKind | undefined): FaultKind | undefined {
  if (kind !== undefined) injected += 1;
  return kind;
}

function add(kind: string, place: string, found: Verdict): void {
  const wrong = [...found.lost, ...found.dangling, ...found.doubled];
  const outcome =
    wrong.length > 0
      ? `WRONG: ${wrong.join('; ')}`
      : !found.ended
        ? 'not admitted, said so'
        : found.whole === 2
          ? 'whole'
          : `${found.whole} whole, ${found.said} said not kept`;
  table.push({ kind, place, outcome });
}

function faultTable(): string {
  const counted = new Map<string, number>();
  for (const { kind, place, outcome } of table) {
    const row = `${kind.padEnd(24)} ${place.padEnd(46)} ${outcome}`;
    counted.set(row, (counted.get(row) ?? 0) + 1);
  }
  const rows = [...counted]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([row, times]) => `${String(times).padStart(4)}  ${row}`);
  return [
    `${injected} faults injected in ${table.length} runs`,
    'runs  kind                     place                                          outcome',
    ...rows,
  ].join('\n');
}

const clean = { ended: true, lost: [], dangling: [], doubled: [] };

const transient: readonly FaultKind[] = ['throttle', 'error', 'cut', 'lose', 'slow'];

test('one fault at each request of a flow costs nothing: the answer is whole, nothing dangles, nothing is doubled', async () => {
  let turn = 0;
  for (const name of steps) {
    for (const [at, place] of (requests.get(name) ?? []).entries()) {
      const kind = transient[turn % transient.length] as FaultKind;
      turn += 1;
      const ids = newRun();
      await drive(ids, name, (number) => (number === at + 1 ? kind : undefined), false);
      const found = await verdict(ids, direct, faulty);
      add(kind, `${name}: ${place}`, found);
      expect({ name, place, kind, ...found }).toMatchObject({ ...clean, whole: 2 });
    }
  }
});

test('a function that dies at any request, before or after it, and whose event comes again, loses and doubles nothing', async () => {
  for (const name of steps) {
    for (const [at, place] of (requests.get(name) ?? []).entries()) {
      const kind = at % 2 === 0 ? 'die-after' : 'die-before';
      const ids = newRun();
      await drive(ids, name, (number) => (number === at + 1 ? kind : undefined), true);
      const found = await verdict(ids, direct, faulty);
      add(`${kind}, event again`, `${name}: ${place}`, found);
      expect({ name, place, kind, ...found }).toMatchObject({ ...clean, whole: 2 });
    }
  }
});

test('a function that dies for good ends its run with a failed turn that points at nothing missing', async () => {
  for (const name of steps.filter((each) => each !== 'admit')) {
    const places = requests.get(name) ?? [];
    for (const at of [0, Math.floor(places.length / 2), places.length - 1]) {
      const ids = newRun();
      await drive(ids, name, (number) => (number === at + 1 ? 'die-after' : undefined), false);
      const found = await verdict(ids, direct, faulty);
      add('die-after, never again', `${name}: ${places[at]}`, found);
      expect({ name, at, ...found }).toMatchObject(clean);
    }
  }
});

test('a store that refuses for as long as a step lasts: the flow goes on with a part that says so, or fails visibly', async () => {
  for (const name of ['run-tool rows', 'run-tool wrapped'] as const) {
    for (const broken of ['s3 PUT body', 's3 PUT index', 's3 HEAD body', 's3 GET body']) {
      for (const kind of ['error', 'cut', 'lose'] as const) {
        if (!(requests.get(name) ?? []).includes(broken)) continue;
        const ids = newRun();
        await drive(ids, name, (_, place) => (place === broken ? kind : undefined), false);
        const found = await verdict(ids, direct, faulty);
        add(`${kind}, always`, `${name}: ${broken}`, found);
        expect({ name, broken, kind, ...found }).toMatchObject(clean);
        expect(found.whole + found.said).toBe(2);
      }
    }
  }
});

test('one run-tool asks each service as often as the cost page reckons with', () => {
  const counted = (name: StepName) => {
    const places = requests.get(name) ?? [];
    const of = (place: string) => places.filter((each) => each === place).length;
    const dynamo = (operation: string) => of(`dynamodb ${operation}`);
    return {
      GetItem: dynamo('GetItem'),
      Query: dynamo('Query'),
      PutItem: dynamo('PutItem'),
      UpdateItem: dynamo('UpdateItem'),
      puts: of('s3 PUT body') + of('s3 PUT index'),
      gets: places.filter((place) => /^s3 (?:GET|HEAD)/.test(place)).length,
    };
  };
  expect(counted('run-tool rows')).toEqual({ ...requestsOfRunTool.answer, puts: 2 });
  expect(counted('run-tool wrapped')).toEqual({ ...requestsOfRunTool.wrapper, puts: 2 });
});

test('more than 200 faults were injected', () => {
  expect(injected).toBeGreaterThan(200);
});
