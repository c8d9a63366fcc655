import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { powertoolsTelemetry } from '../../aws/powertools-telemetry.ts';
import { type MetricName, metricNamespace, metricUnits } from '../../core/telemetry/telemetry.ts';
import { bundleOptions, projectRoot } from '../../lib/bundling.ts';
import { figuresOf } from '../../scripts/stats-figures.ts';
import { type CfnResource, ownFunctions, resourcesOf, synthesize } from './synthesis.ts';

const synthesis = synthesize({ 'alarms.topicArn': 'arn:aws:sns:eu-central-1:111122223333:operators' });
const alarms = resourcesOf(synthesis.service, 'AWS::CloudWatch::Alarm').map(([, alarm]) => alarm);
const dimensionsOf = ({ Properties }: CfnResource) =>
  Object.fromEntries(
    (Properties['Dimensions'] as { Name: string; Value: unknown }[]).map((each) => [each.Name, each.Value]),
  );
const own = alarms.filter(({ Properties }) => Properties['Namespace'] === metricNamespace);

interface MetricRecord extends Record<string, unknown> {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
}

/** What a function of the deployment `claimcheck` really writes for one count. */
function emitted(metric: MetricName, dimensions?: Record<string, string>): readonly MetricRecord[] {
  const lines: string[] = [];
  process.env['POWERTOOLS_SERVICE_NAME'] = 'claimcheck';
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((line: unknown) => {
      lines.push(...String(line).trim().split('\n'));
      return true;
    }),
  );
  const telemetry = powertoolsTelemetry('run-tool');
  telemetry.count(metric, 1, dimensions);
  telemetry.flush();
  for (const spy of spies) spy.mockRestore();
  delete process.env['POWERTOOLS_SERVICE_NAME'];
  return lines.map((line) => JSON.parse(line) as MetricRecord);
}

const sources = (folder: string): readonly string[] =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(projectRoot, folder, name), 'utf8'));
const code = ['core', 'aws', 'lambdas', 'tools'].flatMap(sources).join('\n');

test('every alarm on our own metrics is on a name, unit and dimensions that functions really write', () => {
  expect(own.length).toBeGreaterThanOrEqual(8);
  for (const alarm of own) {
    const name = alarm.Properties['MetricName'] as MetricName;
    const dimensions = dimensionsOf(alarm);
    const records = emitted(name);
    const written = records.some((record) =>
      record._aws.CloudWatchMetrics.some(
        ({ Namespace, Dimensions, Metrics }) =>
          Namespace === metricNamespace &&
          Metrics.some((metric) => metric.Name === name && metric.Unit === metricUnits[name]) &&
          Dimensions.some((set) => [...set].sort().join() === Object.keys(dimensions).sort().join()) &&
          Object.entries(dimensions).every(([key, value]) => record[key] === value),
      ),
    );
    expect({ name, dimensions, written }).toEqual({ name, dimensions, written: true });
  }
});

test('the deployment’s name reaches every function, since alarms name it', () => {
  for (const [, { Properties }] of ownFunctions(synthesize({ name: 'another' }).service)) {
    const { Variables } = Properties['Environment'] as { Variables: Record<string, unknown> };
    expect(Variables['POWERTOOLS_SERVICE_NAME']).toBe('another');
  }
});

test('every metric that is declared is counted somewhere, and nothing else is', () => {
  const counted = new Set([...code.matchAll(/\.count\(\s*'(\w+)'/g)].map(([, name]) => name));
  expect([...counted].sort()).toEqual(Object.keys(metricUnits).sort());
});

test('what the dashboard searches by are sets of dimensions that are written', () => {
  const [dashboard] = resourcesOf(synthesis.service, 'AWS::CloudWatch::Dashboard');
  const body = JSON.stringify(dashboard?.[1].Properties['DashboardBody']);
  const searches = [...body.matchAll(/\{Claimcheck,service,([\w,]+)\} MetricName=\W+(\w+)/g)];
  expect(searches.length).toBeGreaterThanOrEqual(6);
  for (const [, names = '', metric = ''] of searches) {
    const asked = names.split(',').sort().join();
    const calls = [...code.matchAll(new RegExp(`\\.count\\(\\s*'${metric}',[^,]+,\\s*\\{([^}]*)\\}`, 'g'))];
    const sets = calls.map(([, members = '']) =>
      members
        // What a call is given stands for no dimension.
        .replace(/\([^()]*\)/g, '')
        .split(',')
        .map((member) => /^\s*(\w+)/.exec(member)?.[1])
        .filter((key) => key !== undefined)
        .sort()
        .join(),
    );
    expect({ metric, sets }).toEqual({ metric, sets: expect.arrayContaining([asked]) });
    const [single] = emitted(metric as MetricName, Object.fromEntries(asked.split(',').map((key) => [key, 'x'])));
    expect([...(single?._aws.CloudWatchMetrics[0]?.Dimensions[0] ?? [])].sort()).toEqual(
      [...asked.split(','), 'service'].sort(),
    );
    // A count under other dimensions is another metric: a search that leaves it out would show too few.
    const searched = searches
      .filter(([, , of]) => of === metric)
      .map(([, found = '']) => found.split(',').sort().join());
    expect({ metric, missed: sets.filter((set) => !searched.includes(set)) }).toEqual({ metric, missed: [] });
  }
});

test('each question of the dashboard is one that the local figures answer, in the same words', () => {
  const [dashboard] = resourcesOf(synthesis.service, 'AWS::CloudWatch::Dashboard');
  const body = JSON.stringify(dashboard?.[1].Properties['DashboardBody']);
  const titles = [...body.matchAll(/\\"title\\":\\"(.+?)\\"/g)].map(([, title]) => title);
  expect(titles.length).toBeGreaterThan(10);
  expect(figuresOf([]).map(({ question }) => question)).toEqual(titles);
});

/** Metrics that AWS itself writes, with the dimension that has a value for each thing (service user guides). */
const written: Readonly<Record<string, { readonly dimension: string; readonly metrics: readonly string[] }>> = {
  'AWS/Lambda': { dimension: 'FunctionName', metrics: ['Errors', 'Throttles'] },
  'AWS/States': {
    dimension: 'StateMachineArn',
    metrics: ['ExecutionsFailed', 'ExecutionsTimedOut', 'ExecutionThrottled'],
  },
  'AWS/DynamoDB': { dimension: 'TableName', metrics: ['ReadThrottleEvents', 'WriteThrottleEvents'] },
  'AWS/ApiGateway': { dimension: 'ApiId', metrics: ['5xx'] },
  'AWS/SQS': { dimension: 'QueueName', metrics: ['ApproximateNumberOfMessagesVisible'] },
  'AWS/Events': { dimension: 'RuleName', metrics: ['FailedInvocations'] },
};

test('every other alarm is on a metric of AWS, and every function, flow, table and queue has its own', () => {
  for (const alarm of alarms.filter((each) => !own.includes(each))) {
    const { Namespace, MetricName: name } = alarm.Properties as { Namespace: string; MetricName: string };
    const names = Object.keys(dimensionsOf(alarm)).filter((each) => each !== 'GlobalSecondaryIndexName');
    expect(names).toEqual([written[Namespace]?.dimension]);
    expect(written[Namespace]?.metrics).toContain(name);
  }
  const on = (metric: string) => alarms.filter(({ Properties }) => Properties['MetricName'] === metric).length;
  const functions = ownFunctions(synthesis.service).length;
  const flows = resourcesOf(synthesis.service, 'AWS::StepFunctions::StateMachine').length;
  expect([on('Errors'), on('Throttles')]).toEqual([functions, functions]);
  expect([on('ExecutionsFailed'), on('ExecutionsTimedOut')]).toEqual([flows, flows]);
  expect(on('ApproximateNumberOfMessagesVisible')).toBe(1);
});

test('every table and every index has alarms of its own, since a table counts nothing that its index refuses', () => {
  const tables = resourcesOf(synthesis.foundation, 'AWS::DynamoDB::Table');
  const wanted = tables.flatMap(([id, { Properties }]) => {
    const indexes = (Properties['GlobalSecondaryIndexes'] ?? []) as { readonly IndexName: string }[];
    return [undefined, ...indexes.map(({ IndexName }) => IndexName)].map((index) => `${id} ${index}`);
  });
  expect(wanted).toHaveLength(5);
  for (const metric of ['ReadThrottleEvents', 'WriteThrottleEvents']) {
    const watched = alarms
      .filter(({ Properties }) => Properties['MetricName'] === metric)
      .map((alarm) => {
        const { TableName, GlobalSecondaryIndexName: index } = dimensionsOf(alarm);
        return `${tables.find(([id]) => JSON.stringify(TableName).includes(id))?.[0]} ${index}`;
      });
    expect(watched.sort()).toEqual([...wanted].sort());
  }
});

test('alarms are on single metrics, have words of their own, tell the topic, and are quiet without data', () => {
  for (const { Properties } of alarms) {
    expect(Properties['Metrics']).toBeUndefined();
    expect(String(Properties['AlarmDescription']).length).toBeGreaterThan(20);
    expect(Properties['TreatMissingData']).toBe('notBreaching');
    expect(Properties['AlarmActions']).toEqual(['arn:aws:sns:eu-central-1:111122223333:operators']);
  }
  for (const [, { Properties }] of resourcesOf(synthesize().service, 'AWS::CloudWatch::Alarm')) {
    expect(Properties['AlarmActions']).toBeUndefined();
  }
});

test('each alarm is explained in the operations page', () => {
  const page = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8');
  const names = alarms.map(({ Properties }) => String(Properties['AlarmName']).replace('claimcheck-', ''));
  const kinds = new Set(
    names.map((name) =>
      name.replace(/^(Errors|Throttles|FlowFailed|FlowTimedOut|FlowThrottled|ReadThrottles|WriteThrottles)-.*/, '$1'),
    ),
  );
  expect([...kinds].filter((kind) => !page.includes(`\`${kind}`))).toEqual([]);
});

test.each(Object.values(synthesis.stacks.service.functions))(
  '$name writes log lines and metrics',
  async ({ source }) => {
    const { metafile } = await build({
      ...bundleOptions,
      absWorkingDir: projectRoot,
      entryPoints: [source.entry],
      external: [...(source.packages ?? [])],
      outdir: 'unused',
      write: false,
      metafile: true,
    });
    expect(Object.keys(metafile.inputs)).toContain('aws/powertools-telemetry.ts');
  },
);

test('data events of the bucket are a setting, of the bucket’s objects alone, and are forgotten with the logs', () => {
  expect(resourcesOf(synthesis.foundation, 'AWS::CloudTrail::Trail')).toEqual([]);
  const on = synthesize({ 'features.trails': true, 'logs.retentionDays': 14 });
  const [trail] = resourcesOf(on.foundation, 'AWS::CloudTrail::Trail');
  expect(trail?.[1].Properties['EventSelectors']).toEqual([
    {
      DataResources: [{ Type: 'AWS::S3::Object', Values: [expect.anything()] }],
      IncludeManagementEvents: false,
      ReadWriteType: 'All',
    },
  ]);
  const results = Object.keys(synthesis.foundation.Resources).find((id) => id.startsWith('Results')) ?? '';
  expect(JSON.stringify(trail?.[1].Properties['EventSelectors'])).toContain(results);
  const records = resourcesOf(on.foundation, 'AWS::S3::Bucket').find(([id]) => id.startsWith('ObjectTrail'));
  expect(records?.[1].Properties['LifecycleConfiguration']).toMatchObject({ Rules: [{ ExpirationInDays: 14 }] });
});
