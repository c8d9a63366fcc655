import { type ExampleData, seededRandom } from '../example-data.ts';

export const regions = ['eu-central-1', 'eu-west-1', 'us-east-1', 'us-west-2', 'ap-south-1', 'sa-east-1'] as const;
const teams = ['payments', 'search', 'identity', 'delivery', 'billing', 'catalog', 'messaging', 'reports'] as const;
const pieceBytes = 64 * 1024;

export interface Service {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly team: string;
  readonly status: 'ok' | 'degraded' | 'failing';
  readonly checked_at: string;
  readonly details: {
    readonly latency_ms: number;
    readonly error_rate: number;
    readonly replicas: { readonly wanted: number; readonly ready: number };
    readonly last_incident: string | null;
  };
}

/**
 * The services of the report, in order. In the first tenth `us-east-1` fails most; over the whole list it is another
 * region (which one depends on the seed), and the last service of all is always one of its failing ones: who reads
 * only the beginning gets the answer wrong.
 */
export function* services({ records, seed }: ExampleData): Generator<Service> {
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const others = regions.filter((region) => region !== 'us-east-1');
  const worst = others[seed % others.length] as string;
  for (let i = 1; i <= records; i += 1) {
    const last = i === records;
    const region = last ? worst : pick(regions);
    const early = i * 10 <= records;
    const weak = region === (early ? 'us-east-1' : worst);
    const draw = random();
    const status = last || draw < (weak ? 0.06 : 0.01) ? 'failing' : draw < (weak ? 0.12 : 0.05) ? 'degraded' : 'ok';
    const wanted = 2 + Math.floor(random() * 7);
    const team = pick(teams);
    yield {
      id: `svc-${String(i).padStart(6, '0')}`,
      name: `${team}-worker-${Math.floor(random() * 900) + 100}`,
      region,
      team,
      status,
      checked_at: new Date(Date.UTC(2026, 8, 1) + i * 1000).toISOString(),
      details: {
        latency_ms: Math.floor(random() * 400) + (status === 'ok' ? 5 : 900),
        error_rate: Math.round(random() * (status === 'failing' ? 9000 : 90)) / 10_000,
        replicas: { wanted, ready: status === 'failing' ? 0 : wanted },
        last_incident: random() < 0.2 ? `INC-${Math.floor(random() * 90_000) + 10_000}` : null,
      },
    };
  }
}

/** The whole report as UTF-8 JSON in pieces of about 64 KiB: one document, its list under `report.services`. */
export function* statusReport(data: ExampleData): Generator<Uint8Array> {
  let pending = `{"report":{"title":"Service status","source":"example","seed":${data.seed},"expected":${data.records},"regions":${JSON.stringify(regions)},"services":[`;
  let first = true;
  for (const service of services(data)) {
    pending += (first ? '' : ',') + JSON.stringify(service);
    first = false;
    if (pending.length >= pieceBytes) {
      yield Buffer.from(pending, 'utf8');
      pending = '';
    }
  }
  yield Buffer.from(`${pending}],"complete":true}}\n`, 'utf8');
}
