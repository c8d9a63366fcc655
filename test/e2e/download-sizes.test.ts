import { createHash } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DynamoCatalogue } from '../../aws/dynamo-catalogue.ts';
import { DynamoErasures } from '../../aws/dynamo-erasures.ts';
import { S3ResultStore } from '../../aws/s3-result-store.ts';
import { newId } from '../../core/reference/reference.ts';
import type { Run } from '../../core/run/run.ts';
import { defaultSettings } from '../../core/settings.ts';
import { keepResult } from '../../core/store/keep-result.ts';
import { silentTelemetry, systemClock } from '../../core/telemetry/telemetry.ts';
import { runPorts, runTable } from '../../lambdas/run-ports.ts';
import { credentials, region } from '../../local/ministack.ts';
import { serviceStatusTool } from '../../tools/service-status/definition.ts';
import { digest } from './expected.ts';
import { testPlatform } from './platform.ts';

// Case H074: what no function could answer with arrives whole, since it never passes through one.
jest.setTimeout(240_000);
const platform = testPlatform();
const client = { endpoint: platform.handle.emulatorUrl, region, credentials };
const s3 = new S3Client({ ...client, forcePathStyle: true });
const documents = DynamoDBDocumentClient.from(new DynamoDBClient(client));
const store = new S3ResultStore(s3, platform.output('BucketName'));
const ports = {
  ...runPorts(runTable(documents, platform.output('RunsTable'), defaultSettings)),
  catalogue: new DynamoCatalogue(documents, platform.output('CatalogTable')),
  erasures: new DynamoErasures({ documents, table: platform.output('SessionsTable') }),
  store,
  settings: defaultSettings,
  baseUrl: platform.handle.baseUrl,
  telemetry: silentTelemetry,
  clock: systemClock,
};
let run: Run;

beforeAll(async () => {
  const { runId } = await platform.ask('olivia', 'Which notes are there?', 'notes');
  run = (await ports.runs.get(runId)) as Run;
});
afterAll(() => {
  s3.destroy();
  documents.destroy();
});

/** The recipe `file` of the cases: rows as JSON of at least that many bytes. */
function rowsOfAtLeast(bytes: number): string {
  const words = ['invoice', 'parcel', 'refund', 'meter', 'ticket', 'stock', 'route', 'claim'];
  const rows: string[] = [];
  for (let id = 0, size = 1; size < bytes; id += 1) {
    const kind = words[id % 8] as string;
    const row = {
      id,
      code: `${kind.slice(0, 2).toUpperCase()}-${String(id).padStart(6, '0')}`,
      kind,
      amount: Math.round((id * 7_919) % 100_000) / 100,
      open: id % 3 === 0,
      note: `${words[(id * 5) % 8]} `.repeat(12).slice(0, 80),
    };
    rows.push(JSON.stringify(row));
    size += (rows.at(-1) as string).length + (id === 0 ? 0 : 1);
  }
  return `[${rows.join(',')}]`;
}

test.each([4_400_000, 4_800_000, 6_500_000, 60_000_000])(
  'a result of %i bytes is stored and downloaded whole, to its last row',
  async (bytes) => {
    const text = rowsOfAtLeast(bytes);
    const kept = await keepResult(
      {
        run,
        turn: 1,
        index: 0,
        tool: serviceStatusTool,
        result: { status: 'success', content: [{ text }] },
        input: {},
        resultId: newId(),
        callDigest: createHash('sha256').update(String(bytes)).digest('hex'),
        availableUntil: new Date(Date.now() + 86_400_000).toISOString(),
        supersedes: null,
      },
      ports,
    );
    expect(kept).toMatchObject({ status: 'success', oversize: true, stored: { bytes: text.length } });
    const olivia = await platform.signedIn('olivia');
    const link = await olivia.request(`/results/${kept.stored?.ref}`);
    expect([link.status, (await link.text()).length < 4_096]).toEqual([302, true]);
    const { response, body } = await olivia.download(`/results/${kept.stored?.ref}`);
    expect(response.status).toBe(200);
    expect(body.length).toBe(text.length);
    expect(digest(body)).toBe(createHash('sha256').update(text).digest('hex'));
    // The page about it is small whatever its size.
    const view = await olivia.request(`/results/${kept.stored?.ref}/view`);
    expect([view.status, (await view.arrayBuffer()).byteLength < 1024 * 1024]).toEqual([200, true]);
  },
);
