import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { signedBodyUrl } from '../../aws/analysis-inputs.ts';
import { bodyKey } from '../../aws/s3-keys.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import { newId } from '../../core/reference/reference.ts';
import { FaultyProxy, type ProxiedRequest } from '../fakes/faulty-proxy.ts';
import { hostileChartRows, hostileCharts } from '../hostile/charts.ts';
import { hostileBodies } from '../hostile/data-files.ts';
import { type CopyStore, type CorpusReport, corpusLimits, runCorpus } from '../hostile/run-corpus.ts';
import { hostileScripts } from '../hostile/scripts.ts';
import { hostileSql } from '../hostile/sql.ts';
import { type EmulatedServices, emulatedServices } from './ministack.ts';

// `npm run -s hostile` prints the same as a table.
jest.setTimeout(600_000);
let report: CorpusReport;
let services: EmulatedServices;
/** Requests for the stored copy, by those who had an address and no credentials. */
let fetched: readonly ProxiedRequest[];
beforeAll(async () => {
  services = await emulatedServices();
  const proxy = new FaultyProxy(services.url);
  const client = services.s3(await proxy.start());
  report = await runCorpus(await objectStore(client));
  fetched = proxy.requests.filter(({ query }) => query.has('X-Amz-Signature'));
  proxy.stop();
});
afterAll(() => services?.stop());

/** The stored copy as an object of a real store, opened by the addresses that the broker signs. */
async function objectStore(client: S3Client): Promise<CopyStore> {
  const address = { owner: ownerKey('ada'), session: newId(), id: newId() };
  const at = { Bucket: 'claimcheck-hostile', Key: bodyKey(address) };
  await client.send(new CreateBucketCommand({ Bucket: at.Bucket }));
  return {
    put: async (bytes) => {
      await client.send(new PutObjectCommand({ ...at, Body: bytes, IfNoneMatch: '*' }));
    },
    url: () => signedBodyUrl(client, at.Bucket)(address),
    read: async () => {
      const { Body: body } = await client.send(new GetObjectCommand(at));
      return (await body?.transformToByteArray()) ?? new Uint8Array();
    },
    stop: async () => {},
  };
}

/** Statements that mean no harm and are answered: they show that the others are not refused for another reason. */
const harmless = [
  /^SHOW data/,
  /^SELECT regexp_replace/,
  /^SELECT \(\(\(/,
  /^SELECT 1\+1/,
  /^SELECT \* FROM data WHERE id=0 OR/,
  /^SELECT '\ufffd?.?'$/,
  /^SELECT 1 AS "columns"/,
];

test('the corpus is as large as it has to be', () => {
  expect(hostileSql.length).toBeGreaterThanOrEqual(100);
  expect(hostileScripts.length).toBeGreaterThanOrEqual(80);
  expect(hostileCharts.length + hostileChartRows.length).toBeGreaterThanOrEqual(20);
  expect(hostileBodies.length).toBeGreaterThanOrEqual(10);
});

test('nothing is read, written, sent or kept alive', () => {
  expect(report.rows.filter(({ leaks }) => leaks.length > 0)).toEqual([]);
  expect(report.requests).toEqual([]);
  // Some answers are large enough to leave by the store: what they carry is looked at like what is said.
  expect(report.uploads).toBeGreaterThan(0);
  expect(report.uploadLeaks).toEqual([]);
  expect(report.newFiles).toEqual([]);
  expect(report.alive).toEqual([]);
});

test('the stored copy, an object of a real store, and everything else is what it was', () => {
  expect(fetched.length).toBeGreaterThan(150);
  expect(new Set(fetched.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(new Set(fetched.map(({ path }) => path)).size).toBe(1);
  expect(report.storedCopyUnchanged).toBe(true);
  expect(report.secretUnchanged).toBe(true);
});

test('the process is well, and so are an honest query and script after everything', () => {
  expect(report.rows.filter(({ outcome }) => outcome === 'fault')).toEqual([]);
  expect(report.healthy).toBe(true);
});

test('the worst takes its hard limit and no longer', () => {
  const late = report.rows.filter(({ kind, milliseconds }) => {
    const limit = kind === 'script' ? corpusLimits.scriptMs : corpusLimits.sqlMs;
    // Building the table and a picture are not the program's own time.
    return milliseconds > limit + corpusLimits.graceMs + (kind === 'chart' ? 20_000 : 0);
  });
  expect(late).toEqual([]);
});

test('a statement is answered only where it means no harm', () => {
  const answered = report.rows.filter(({ kind, outcome }) => kind === 'sql' && outcome === 'answered');
  expect(answered.filter(({ name }) => !harmless.some((pattern) => pattern.test(name)))).toEqual([]);
});

test('pictures hold words and numbers only', () => {
  const drawn = report.rows.filter(({ kind, outcome }) => kind === 'chart' && outcome === 'answered');
  expect(drawn.length).toBeGreaterThanOrEqual(6);
});
