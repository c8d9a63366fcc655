import { Duration, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { BundleSource } from './bundle-source.ts';
import type { Config } from './config.ts';
import { EngineNetwork } from './engine-network.ts';
import { buildEnginePrograms, enginePackages } from './engine-programs.ts';
import { ServiceFunction } from './function.ts';
import { copyPackages, type Processor } from './native-packages.ts';
import type { Stateful } from './stateful.ts';

/** The handler, its programs and the native packages for one processor, within Lambda's 250 MB. */
export function engineSource(processor: Processor): BundleSource {
  return {
    entry: 'lambdas/analysis-engine/handler.ts',
    build: (folder) => {
      buildEnginePrograms(folder);
      copyPackages(enginePackages(processor), folder);
    },
  };
}

/**
 * The function that runs untrusted code (DESIGN 7.10): no grant of data is ever made to it, no variable names a place
 * of data. Inputs come as object addresses in its event; where the account allows it, there is no other way out.
 */
export function analysisEngine(scope: Construct, config: Config, stateful: Stateful): ServiceFunction {
  const network = config.features.engineNetwork
    ? new EngineNetwork(scope, 'EngineNetwork', { config, stateful })
    : null;
  const engine = new ServiceFunction(scope, 'AnalysisEngine', {
    config,
    stateful,
    name: 'analysis-engine',
    description: 'runs a query or script over inputs, without any right to data',
    source: engineSource(config.architecture === 'arm64' ? 'arm64' : 'x64'),
    // 40 s to fetch, 30 s for the program, 20 s for the chart, 10 s for uploads.
    timeout: Duration.seconds(110),
    memoryMiB: config.analysis.memoryMiB,
    scratchMiB: config.analysis.scratchMiB,
    ...(network && { network: network.place }),
  });
  if (network !== null) {
    engine.allow(new PolicyStatement({ actions: ['ec2:DescribeSubnets'], resources: ['*'] }));
    engine.role.addToPolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: ['ec2:*'],
        resources: ['*'],
        // Interfaces are Lambda's to make. This is set on every call that is made with the credentials inside the function, and on no call of Lambda's own.
        conditions: { Null: { 'lambda:SourceFunctionArn': 'false' } },
      }),
    );
    Validations.of(engine).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray and network interfaces have no resources to name; code inside the function is denied the latter.',
    });
  }
  return engine;
}
