import { type MetricName, metricNamespace, metricUnits } from '../core/telemetry/telemetry.ts';

/** One question of the dashboard with its answers. */
export interface Figure {
  readonly question: string;
  readonly answers: readonly { readonly of: string; readonly value: number }[];
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
export function figuresOf(lines: readonly string[]): readonly Figure[] {
  const samples = lines.flatMap(samplesOf);
  const records = lines.map(parsed).filter((record) => record !== undefined);
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
  const uploads = all('UploadLatency').sort((a, b) => a - b);
  const at = (share: number) => uploads[Math.min(uploads.length - 1, Math.floor(uploads.length * share))] ?? 0;
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
        { of: 'p50 ms', value: at(0.5) },
        { of: 'p99 ms', value: at(0.99) },
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
    { question: 'Which functions fail?', answers: faults(records) },
  ];
}

function faults(records: readonly Readonly<Record<string, unknown>>[]): Figure['answers'] {
  const totals = new Map<string, number>();
  for (const record of records) {
    if (record['message'] === 'fault')
      totals.set(String(record['function']), (totals.get(String(record['function'])) ?? 0) + 1);
  }
  return [...totals].map(([of, value]) => ({ of, value }));
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
