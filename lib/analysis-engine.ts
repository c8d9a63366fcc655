import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Config } from './config.ts';
import { ServiceFunction } from './function.ts';
import type { Stateful } from './stateful.ts';

/** Packages with native code or wasm beside it, which esbuild cannot take in. */
const native = ['@duckdb/node-api', '@duckdb/node-bindings'];

/**
 * The function that runs untrusted code (DESIGN 7.10): no grant at all is ever made to it, no variable names a place
 * of data. Inputs come as object addresses in its event.
 */
export function analysisEngine(scope: Construct, config: Config, stateful: Stateful): ServiceFunction {
  const processor = config.architecture === 'arm64' ? 'arm64' : 'x64';
  return new ServiceFunction(scope, 'AnalysisEngine', {
    config,
    stateful,
    name: 'analysis-engine',
    description: 'runs a query or script over inputs, without any right to data',
    source: {
      entry: 'lambdas/analysis-engine/handler.ts',
      packages: [...native, `@duckdb/node-bindings-linux-${processor}`],
    },
    timeout: Duration.seconds(120),
    memoryMiB: config.analysis.memoryMiB,
    scratchMiB: config.analysis.scratchMiB,
  });
}
