/** Facts of one log line: ids, codes and counts; never content, never an identity in clear. */
export type LogFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Where CloudWatch keeps them. */
export const metricNamespace = 'Claimcheck';

/** Metric names and units; the dashboard and alarms are tied to exactly these. */
export const metricUnits = {
  StoredBytes: 'Bytes',
  ContextBytesSaved: 'Bytes',
  UploadLatency: 'Milliseconds',
  Truncation: 'Count',
  GuardAction: 'Count',
  OverflowRetry: 'Count',
  ToolRetry: 'Count',
  ToolCall: 'Count',
  Refusal: 'Count',
  DownloadDenied: 'Count',
  StorageRefusal: 'Count',
  HookFailure: 'Count',
  RunFailed: 'Count',
  RoleLookupFailed: 'Count',
  QuotaRefused: 'Count',
  HiddenObject: 'Count',
} as const;

export type MetricName = keyof typeof metricUnits;

/** One structured line per decision and one metric (DESIGN 9). The adapter adds run, session and tool-use ids. */
export interface Telemetry {
  /** Ids for every later line of this invocation, once they are known: session, tool use. */
  add?(facts: LogFacts): void;
  decision(name: string, facts?: LogFacts): void;
  count(
    metric: MetricName,
    value?: number,
    dimensions?: { readonly reason?: string; readonly tool?: string; readonly code?: string },
  ): void;
}

export const silentTelemetry: Telemetry = { decision: () => {}, count: () => {} };

/** The wall clock as a port, so that dates can be tested. */
export interface Clock {
  now(): Date;
}
export const systemClock: Clock = { now: () => new Date() };
