import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import {
  type LogFacts,
  type MetricName,
  metricNamespace,
  metricUnits,
  type Telemetry,
} from '../core/telemetry/telemetry.ts';

const units = { Bytes: MetricUnit.Bytes, Milliseconds: MetricUnit.Milliseconds, Count: MetricUnit.Count } as const;

export interface FlushingTelemetry extends Telemetry {
  /** More ids for every later line of this invocation, such as the session once the run is known. */
  add(facts: LogFacts): void;
  /** Writes what is still buffered; call once at the end of an invocation. */
  flush(): void;
}

/**
 * One JSON line per decision (Powertools Logger) and metrics in the embedded format on the same stream, so no network
 * call is made. `facts` are ids (run, session, tool use), never content and never an identity in clear.
 *
 * The deployment's name comes by `POWERTOOLS_SERVICE_NAME`. Each metric is counted for the deployment (`service`), for
 * the function (`service`, `function`), and once more with each reason, tool or code: an alarm needs to know none of them.
 */
export function powertoolsTelemetry(functionName: string, facts: LogFacts = {}): FlushingTelemetry {
  const logger = new Logger({ persistentKeys: { function: functionName, ...facts } });
  const metrics = new Metrics({ namespace: metricNamespace });
  return {
    add: (more) => logger.appendKeys({ ...more }),
    decision: (name, more = {}) => logger.info(name, { ...more }),
    count: (metric: MetricName, value = 1, dimensions = {}) => {
      if (!metrics.hasStoredMetrics()) metrics.addDimensions({}).addDimensions({ function: functionName });
      metrics.addMetric(metric, units[metricUnits[metric]], value);
      const named = Object.fromEntries(
        Object.entries(dimensions).filter((pair): pair is [string, string] => pair[1] !== undefined),
      );
      if (Object.keys(named).length === 0) return;
      const single = metrics.singleMetric();
      single.addDimensions(named);
      single.addMetric(metric, units[metricUnits[metric]], value);
    },
    flush: () => {
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    },
  };
}
