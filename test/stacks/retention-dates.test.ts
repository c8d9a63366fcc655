import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../lib/bundling.ts';
import { resourcesOf, synthesize } from './synthesis.ts';

// The dates that people and operators are told are those that the stacks set.
const page = readFileSync(join(projectRoot, 'docs/data-protection.md'), 'utf8');
const until = (place: string): string => {
  const row = page.split('\n').find((line) => line.startsWith(`| ${place}`));
  return row?.split('|').at(-2)?.trim() ?? `no row ${place}`;
};
const { foundation, service } = synthesize({
  'logs.retentionDays': 14,
  'features.trails': true,
  'features.flowLogs': true,
  'features.engineNetwork': true,
});

test('every log is kept for logs.retentionDays, whoever writes it', () => {
  const groups = [foundation, service].flatMap((template) => resourcesOf(template, 'AWS::Logs::LogGroup'));
  expect(groups.length).toBeGreaterThan(15);
  for (const [id, { Properties }] of groups) {
    expect({ id, days: Properties['RetentionInDays'] }).toEqual({ id, days: 14 });
  }
  for (const place of ['logs of functions', 'log of refused traffic', 'data events']) {
    expect(until(place)).toBe('`logs.retentionDays`');
  }
});

test('staged uploads a day, the queue of untold ends 14 days, backups what DynamoDB keeps at most', () => {
  const rules = resourcesOf(foundation, 'AWS::S3::Bucket').flatMap(([, { Properties }]) => {
    const { Rules } = Properties['LifecycleConfiguration'] as { Rules: readonly Record<string, unknown>[] };
    return Rules.filter(({ Prefix }) => Prefix === 'staging/');
  });
  expect(rules).toEqual([expect.objectContaining({ Status: 'Enabled', ExpirationInDays: 1 })]);
  expect(until('bucket, `staging/')).toMatch(/^a day;/);

  const queues = resourcesOf(service, 'AWS::SQS::Queue').map(([, { Properties }]) => Properties);
  expect(queues.map((queue) => queue['MessageRetentionPeriod'])).toEqual([14 * 86_400]);
  expect(until('queue of ends')).toBe('14 days');

  for (const [, { Properties }] of resourcesOf(foundation, 'AWS::DynamoDB::Table')) {
    const recovery = Properties['PointInTimeRecoverySpecification'] as Record<string, unknown>;
    expect(recovery['PointInTimeRecoveryEnabled']).toBe(true);
    // Absent: 35 days.
    expect(recovery['RecoveryPeriodInDays'] ?? 35).toBe(35);
  }
  expect(until('point-in-time backups')).toMatch(/^35 days/);
});

test('no place that holds data is without a row: types of resources that the page speaks of', () => {
  // A bucket, a table, a queue, a log, a user pool or a trail that is added needs a line on the page first.
  const spoken: Readonly<Record<string, number>> = {
    'AWS::S3::Bucket': 2,
    'AWS::DynamoDB::Table': 4,
    'AWS::SQS::Queue': 1,
    'AWS::Cognito::UserPool': 1,
    'AWS::CloudTrail::Trail': 1,
    'AWS::SNS::Topic': 0,
    'AWS::Kinesis::Stream': 0,
    'AWS::Events::Archive': 0,
    'AWS::Lambda::EventSourceMapping': 0,
  };
  for (const [type, count] of Object.entries(spoken)) {
    const found = [foundation, service].flatMap((template) => resourcesOf(template, type));
    expect({ type, found: found.length }).toEqual({ type, found: count });
  }
});
