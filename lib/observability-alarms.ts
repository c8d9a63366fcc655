import type { MetricName } from '../core/telemetry/telemetry.ts';
import type { Config } from './config.ts';

/** One alarm on one metric: no arithmetic, so that it works wherever there are alarms at all. */
export interface AlarmRule {
  /** Part of the alarm's name and logical id. */
  readonly id: string;
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: 'Sum' | 'Maximum';
  /** Alarms when the statistic of one period is at or above it. */
  readonly threshold: number;
  readonly periodMinutes: number;
  /** What it means, for whoever is woken: docs/operations.md has what to do. */
  readonly says: string;
}

/** What the alarms watch; names and ARNs are tokens at synthesis. */
export interface Watched {
  readonly functions: Readonly<Record<string, string>>;
  readonly flows: Readonly<Record<string, string>>;
  /** Dimensions of each table and of each of its indexes: a table's own do not count what its index refuses. */
  readonly tables: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly apiId: string;
  readonly undelivered: string;
  readonly closingRule: string;
}

const own = (config: Config, metric: MetricName, threshold: number, says: string, id: string = metric): AlarmRule => ({
  id,
  namespace: 'Claimcheck',
  metric,
  dimensions: { service: config.name },
  statistic: 'Sum',
  threshold,
  periodMinutes: 5,
  says,
});

/** Every alarm there is. Our own metrics are counted for the whole deployment, so one alarm each is enough. */
export function alarmRules(config: Config, watched: Watched): readonly AlarmRule[] {
  const each = <Thing>(
    things: Readonly<Record<string, Thing>>,
    rule: (name: string, value: Thing) => AlarmRule,
  ): readonly AlarmRule[] => Object.entries(things).map(([name, value]) => rule(name, value));
  const aws = (
    id: string,
    [namespace, metric]: readonly [string, string],
    dimensions: Readonly<Record<string, string>>,
    threshold: number,
    says: string,
    statistic: AlarmRule['statistic'] = 'Sum',
  ): AlarmRule => ({ id, namespace, metric, dimensions, statistic, threshold, periodMinutes: 5, says });

  return [
    own(config, 'HookFailure', 1, 'A fault in the hook: a result went on as a part and was not kept.'),
    own(config, 'StorageRefusal', 3, 'S3 did not take results after all retries: models see parts only.'),
    own(
      config,
      'DownloadDenied',
      config.alarms.deniedDownloads,
      'Many downloads were refused: guessing, or roles that were taken away.',
    ),
    own(config, 'HiddenObject', 1, 'S3 answered 403 for an object of ours: a right or the key is missing.'),
    own(config, 'QuotaRefused', 1, 'Somebody reached a quota: bytes, turns, tokens or parallel runs.'),
    own(config, 'RoleLookupFailed', 1, 'Current roles could not be looked up: runs and downloads are refused.'),
    own(config, 'RunFailed', 3, 'Runs end without an answer.'),
    own(
      config,
      'OverflowRetry',
      10,
      'Requests overflow the model’s window often: the estimator or a window is set wrong.',
    ),
    ...each(watched.functions, (name, FunctionName) =>
      aws(`Errors-${name}`, ['AWS/Lambda', 'Errors'], { FunctionName }, 1, `The function ${name} failed or timed out.`),
    ),
    ...each(watched.functions, (name, FunctionName) =>
      aws(
        `Throttles-${name}`,
        ['AWS/Lambda', 'Throttles'],
        { FunctionName },
        1,
        `Lambda refused starts of ${name}: too many at once.`,
      ),
    ),
    ...each(watched.flows, (name, StateMachineArn) =>
      aws(
        `FlowFailed-${name}`,
        ['AWS/States', 'ExecutionsFailed'],
        { StateMachineArn },
        3,
        `Executions of ${name} fail.`,
      ),
    ),
    ...each(watched.flows, (name, StateMachineArn) =>
      aws(
        `FlowTimedOut-${name}`,
        ['AWS/States', 'ExecutionsTimedOut'],
        { StateMachineArn },
        1,
        `An execution of ${name} ran past its time.`,
      ),
    ),
    ...each(watched.flows, (name, StateMachineArn) =>
      aws(
        `FlowThrottled-${name}`,
        ['AWS/States', 'ExecutionThrottled'],
        { StateMachineArn },
        1,
        `Step Functions slows ${name} down.`,
      ),
    ),
    ...each(watched.tables, (name, dimensions) =>
      aws(
        `ReadThrottles-${name}`,
        ['AWS/DynamoDB', 'ReadThrottleEvents'],
        dimensions,
        1,
        `Reads of the table ${name} are throttled: a heavy partition.`,
      ),
    ),
    ...each(watched.tables, (name, dimensions) =>
      aws(
        `WriteThrottles-${name}`,
        ['AWS/DynamoDB', 'WriteThrottleEvents'],
        dimensions,
        1,
        `Writes to the table ${name} are throttled: a heavy partition.`,
      ),
    ),
    aws('ApiFaults', ['AWS/ApiGateway', '5xx'], { ApiId: watched.apiId }, 5, 'The HTTP API answers with faults.'),
    aws(
      'Undelivered',
      ['AWS/SQS', 'ApproximateNumberOfMessagesVisible'],
      { QueueName: watched.undelivered },
      1,
      'An execution’s end could not be told to close-run: its run stays open until somebody asks for it.',
      'Maximum',
    ),
    aws(
      'ClosingFailed',
      ['AWS/Events', 'FailedInvocations'],
      { RuleName: watched.closingRule },
      1,
      'The rule that closes runs cannot invoke its function.',
    ),
  ];
}
