import { Duration } from 'aws-cdk-lib';
import {
  type DashboardProps,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../core/telemetry/telemetry.ts';
import type { Watched } from './observability-alarms.ts';

const period = Duration.minutes(5);

/**
 * One question a graph; `npm run stats` answers the same ones from the local platform's logs. Each row is one topic:
 * what is kept, what models do not see, what is refused, what breaks.
 */
export function dashboardWidgets(service: string, watched: Watched): NonNullable<DashboardProps['widgets']> {
  const sum = (metricName: MetricName, label: string, statistic = 'Sum') =>
    new Metric({ namespace: 'Claimcheck', metricName, dimensionsMap: { service }, statistic, period, label });
  const by = (metricName: MetricName, ...dimensions: readonly string[]) =>
    new MathExpression({
      expression: `SEARCH('{Claimcheck,service,${dimensions.join(',')}} MetricName="${metricName}" service="${service}"', 'Sum', 300)`,
      usingMetrics: {},
      label: '',
      period,
    });
  const aws = (
    namespace: string,
    metricName: string,
    dimensionsMap: Readonly<Record<string, string>>,
    label: string,
    statistic = 'Sum',
  ) => new Metric({ namespace, metricName, dimensionsMap: { ...dimensionsMap }, statistic, period, label });
  const functions = Object.entries(watched.functions);
  const flows = Object.entries(watched.flows);
  const tables = Object.entries(watched.tables);
  return [
    [
      graph('How much is stored?', [sum('StoredBytes', 'bytes stored')]),
      graph('How much context is saved?', [sum('ContextBytesSaved', 'bytes kept out of requests')]),
      graph('How long do uploads take?', [sum('UploadLatency', 'p50', 'p50'), sum('UploadLatency', 'p99', 'p99')]),
    ],
    [
      graph('What is cut, and why?', [by('Truncation', 'tool', 'reason')]),
      graph('What does the guard do?', [
        sum('GuardAction', 'results replaced'),
        sum('OverflowRetry', 'overflow retries'),
      ]),
      graph('How do tool calls end?', [by('ToolCall', 'tool', 'reason'), by('ToolRetry', 'tool', 'reason')]),
    ],
    [
      graph('What is refused?', [by('Refusal', 'code'), by('Refusal', 'code', 'tool'), by('QuotaRefused', 'reason')]),
      graph('Which downloads are denied?', [by('DownloadDenied', 'reason')]),
      graph('Does storage refuse?', [
        sum('StorageRefusal', 'refused by S3'),
        sum('HiddenObject', '403 for own objects'),
        sum('HookFailure', 'faults of the hook'),
        sum('RoleLookupFailed', 'roles unknown'),
      ]),
    ],
    [
      graph('Do runs end well?', [
        ...flows.map(([name, StateMachineArn]) =>
          aws('AWS/States', 'ExecutionsSucceeded', { StateMachineArn }, `${name} succeeded`),
        ),
        ...flows.map(([name, StateMachineArn]) =>
          aws('AWS/States', 'ExecutionsFailed', { StateMachineArn }, `${name} failed`),
        ),
        sum('RunFailed', 'runs closed as failed'),
      ]),
      graph(
        'Which functions fail?',
        functions.map(([name, FunctionName]) => aws('AWS/Lambda', 'Errors', { FunctionName }, name)),
      ),
      graph(
        'How long do functions take?',
        functions.map(([name, FunctionName]) => aws('AWS/Lambda', 'Duration', { FunctionName }, name, 'p95')),
      ),
    ],
    [
      graph('Is anything throttled?', [
        ...functions.map(([name, FunctionName]) => aws('AWS/Lambda', 'Throttles', { FunctionName }, name)),
        ...tables.map(([name, dimensions]) => aws('AWS/DynamoDB', 'WriteThrottleEvents', dimensions, `${name} writes`)),
        ...tables.map(([name, dimensions]) => aws('AWS/DynamoDB', 'ReadThrottleEvents', dimensions, `${name} reads`)),
      ]),
      graph('How does the API answer?', [
        aws('AWS/ApiGateway', 'Count', { ApiId: watched.apiId }, 'requests'),
        aws('AWS/ApiGateway', '4xx', { ApiId: watched.apiId }, 'refusals'),
        aws('AWS/ApiGateway', '5xx', { ApiId: watched.apiId }, 'faults'),
      ]),
      graph('Is anything undelivered?', [
        aws(
          'AWS/SQS',
          'ApproximateNumberOfMessagesVisible',
          { QueueName: watched.undelivered },
          'ends not told',
          'Maximum',
        ),
      ]),
    ],
  ];
}

function graph(title: string, left: readonly IMetric[]): IWidget {
  return new GraphWidget({ title, left: [...left], width: 8, height: 6 });
}
