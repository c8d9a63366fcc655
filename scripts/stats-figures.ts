import { type MetricName, metricNamespace, metricUnits } from '../core/telemetry/telemetry.ts';

/** One question of the dashboard with its answers. */
export interface Figure {
  readonly question: string;
  readonly answers: readonly { readonly of: string; readonly value: number }[];
}

/** One log line with the group that holds it, e.g. `/aws/lambda/claimcheck-run-tool`. */
export interface GroupedLine {
  readonly group: string;
  readonly message: string;
}

interface Sample {
  readonly metric: MetricName;
  readonly value: number;
  /** Named beside service and function: tool, reason, code; empty for the count of the whole deployment. */
  readonly by: string;
}

type Directive = {
  readonly Namespace?: unknown;
  readonly Dimensions?: readonly (readonly string[])[];
  readonly Metrics?: readonly { readonly Name: string }[];
};

/** The samples that one log line holds, if it is one of our metrics in the embedded format. */
export function samplesOf(line: string): readonly Sample[] {
  const record = parsed(line);
  const directives = (record?.['_aws'] as { CloudWatchMetrics?: readonly Directive[] } | undefined)?.CloudWatchMetrics;
  if (record === undefined || directives === undefined) return [];
  return directives
    .filter(({ Namespace }) => Namespace === metricNamespace)
    .flatMap(({ Dimensions = [], Metrics = [] }) => {
      const names = [...new Set(Dimensions.flat())].filter((name) => name !== 'service' && name !== 'function').sort();
      const by = names.map((name) => `${name} ${String(record[name])}`).join(', ');
      return Metrics.filter(({ Name }) => Object.hasOwn(metricUnits, Name)).flatMap(({ Name }) =>
        [record[Name]].flat().map((value) => ({ metric: Name as MetricName, value: Number(value), by })),
      );
    });
}

/** The dashboard's questions (`lib/observability-dashboard.ts`), answered from log lines. */
export function figuresOf(lines: readonly GroupedLine[]): readonly Figure[] {
  const samples = lines.flatMap(({ message }) => samplesOf(message));
  const records = lines.map(({ message }) => parsed(message)).filter((record) => record !== undefined);
  const invocations = invocationsOf(lines);
  const all = (metric: MetricName) =>
    samples.filter((each) => each.metric === metric && each.by === '').map(({ value }) => value);
  const sum = (metric: MetricName, of: string) => ({
    of,
    value: all(metric).reduce((total, value) => total + value, 0),
  });
  const each = (...metrics: readonly MetricName[]) => {
    const totals = new Map<string, number>();
    for (const { metric, value, by } of samples) {
      if (!metrics.includes(metric) || by === '') continue;
      const name = metrics.length > 1 ? `${metric}: ${by}` : by;
      totals.set(name, (totals.get(name) ?? 0) + value);
    }
    return [...totals]
      .map(([of, value]) => ({ of, value }))
      .sort((a, b) => b.value - a.value || (a.of < b.of ? -1 : 1));
  };
  const uploads = all('UploadLatency');
  const lineCount = (message: string) => records.filter((record) => record['message'] === message).length;
  return [
    {
      question: 'How much is stored?',
      answers: [sum('StoredBytes', 'bytes stored'), { of: 'results stored', value: all('StoredBytes').length }],
    },
    { question: 'How much context is saved?', answers: [sum('ContextBytesSaved', 'bytes kept out of requests')] },
    {
      question: 'How long do uploads take?',
      answers: [
        { of: 'p50 ms', value: quantile(uploads, 0.5) },
        { of: 'p99 ms', value: quantile(uploads, 0.99) },
      ],
    },
    { question: 'What is cut, and why?', answers: each('Truncation') },
    {
      question: 'What does the guard do?',
      answers: [sum('GuardAction', 'results replaced'), sum('OverflowRetry', 'overflow retries')],
    },
    { question: 'How do tool calls end?', answers: each('ToolCall', 'ToolRetry') },
    { question: 'What is refused?', answers: each('Refusal', 'QuotaRefused') },
    { question: 'Which downloads are denied?', answers: each('DownloadDenied') },
    {
      question: 'Does storage refuse?',
      answers: [
        sum('StorageRefusal', 'refused by S3'),
        sum('HiddenObject', '403 for own objects'),
        sum('HookFailure', 'faults of the hook'),
        sum('RoleLookupFailed', 'roles unknown'),
      ],
    },
    {
      question: 'Do runs end well?',
      answers: [{ of: 'turns saved', value: lineCount('turn_saved') }, sum('RunFailed', 'runs closed as failed')],
    },
    { question: 'Which functions fail?', answers: tally(records, 'function', { message: 'fault' }) },
    {
      question: 'How long do functions take?',
      answers: [...invocations]
        .map(([name, durations]) => ({ of: `${name}, p95 ms`, value: quantile(durations, 0.95) }))
        .sort((a, b) => b.value - a.value || (a.of < b.of ? -1 : 1)),
    },
    {
      // The emulator counts no throttles of its own: what the callers of tools were told.
      question: 'Is anything throttled?',
      answers: tally(records, 'tool', { message: 'tool_failed', reason: 'throttled' }),
    },
    {
      // It keeps no access log either: what the functions behind the API have done.
      question: 'How does the API answer?',
      answers: [
        { of: 'requests', value: behindApi.reduce((all, name) => all + (invocations.get(name)?.length ?? 0), 0) },
        { of: 'refusals with a code', value: ofApi(records, 'refused') },
        { of: 'faults', value: ofApi(records, 'fault') },
      ],
    },
    {
      question: 'Is anything undelivered?',
      answers: [
        {
          of: 'ends that close-run did not take',
          value: records.filter(({ message, function: name }) => message === 'fault' && name === 'close-run').length,
        },
      ],
    },
  ];
}

const behindApi = ['api', 'auth', 'download', 'web'];

type Records = readonly Readonly<Record<string, unknown>>[];

const ofApi = (records: Records, message: string): number =>
  records.filter((each) => each['message'] === message && behindApi.includes(String(each['function']))).length;

/** How many of the lines that hold `wanted` there are, by another of their members; most first. */
function tally(records: Records, by: string, wanted: Readonly<Record<string, string>>): Figure['answers'] {
  const totals = new Map<string, number>();
  for (const record of records) {
    if (Object.entries(wanted).some(([key, value]) => record[key] !== value)) continue;
    const name = String(record[by]);
    totals.set(name, (totals.get(name) ?? 0) + 1);
  }
  return [...totals].map(([of, value]) => ({ of, value })).sort((a, b) => b.value - a.value || (a.of < b.of ? -1 : 1));
}

/** Durations in milliseconds by function, from the report that ends each invocation, without the deployment's prefix. */
function invocationsOf(lines: readonly GroupedLine[]): ReadonlyMap<string, readonly number[]> {
  const prefix = prefixOf(lines);
  const found = new Map<string, number[]>();
  for (const { group, message } of lines) {
    const milliseconds = /^REPORT RequestId: .*?\tDuration: ([\d.]+) ms/.exec(message)?.[1];
    if (milliseconds === undefined) continue;
    const name = group.startsWith(prefix) ? group.slice(prefix.length) : group;
    const durations = found.get(name) ?? [];
    durations.push(Number(milliseconds));
    found.set(name, durations);
  }
  return found;
}

/** What stands before the names of functions: read off a group whose lines say which function wrote them. */
function prefixOf(lines: readonly GroupedLine[]): string {
  for (const { group, message } of lines) {
    const name = parsed(message)?.['function'];
    if (typeof name === 'string' && group.endsWith(`-${name}`)) return group.slice(0, -name.length);
  }
  return '/aws/lambda/';
}

/** Of values in any order; 0 when there are none. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Functions of the emulator may write a word before the JSON. */
function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  const start = line.indexOf('{');
  if (start < 0) return undefined;
  try {
    return JSON.parse(line.slice(start)) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

/** As a table for a terminal. */
export function figuresTable(figures: readonly Figure[]): string {
  return figures
    .map(({ question, answers }) => {
      const rows = answers.map(({ of, value }) => `  ${value.toLocaleString('en-US').padStart(16)}  ${of}`);
      return [question, ...(rows.length === 0 ? ['                 0  (none)'] : rows)].join('\n');
    })
    .join('\n');
}
