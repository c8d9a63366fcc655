import { join } from 'node:path';
import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { FaultProxy } from '../../local/fault-proxy.ts';
import { credentials, region } from '../../local/ministack.ts';

interface Configured {
  readonly variables: Readonly<Record<string, string>>;
  readonly seconds: number;
}

/** Functions of the platform whose requests to AWS go by a proxy that breaks what a plan wants broken. */
export class FaultyFunctions {
  readonly proxy: FaultProxy;
  /** Physical names. */
  readonly names: readonly string[];
  readonly #lambda: LambdaClient;
  readonly #before = new Map<string, Configured>();
  #url = '';

  constructor(emulatorUrl: string, names: readonly string[]) {
    this.proxy = new FaultProxy(emulatorUrl);
    this.names = names;
    this.#lambda = new LambdaClient({ endpoint: emulatorUrl, region, credentials });
  }

  async start(): Promise<void> {
    this.#url = await this.proxy.start();
    for (const FunctionName of this.names) {
      const { Environment, Timeout = 3 } = await this.#lambda.send(
        new GetFunctionConfigurationCommand({ FunctionName }),
      );
      this.#before.set(FunctionName, { variables: Environment?.Variables ?? {}, seconds: Timeout });
      await this.limit(FunctionName);
    }
  }

  /** Sets the function's own time limit; without `seconds` it is the deployed one. */
  async limit(name: string, seconds?: number): Promise<void> {
    const before = this.#before.get(name);
    if (before === undefined) throw new Error(`${name} is not behind the proxy`);
    const preload = `--require=${join(import.meta.dirname, 'process-name.cjs')}`;
    const Variables = {
      ...before.variables,
      AWS_ENDPOINT_URL: this.#url,
      NODE_OPTIONS: `${before.variables['NODE_OPTIONS'] ?? ''} ${preload}`.trim(),
    };
    await this.#configure(name, { variables: Variables, seconds: seconds ?? before.seconds });
  }

  /** Everything as it was deployed. */
  async stop(): Promise<void> {
    for (const [name, before] of this.#before) await this.#configure(name, before);
    this.proxy.stop();
    this.#lambda.destroy();
  }

  async #configure(FunctionName: string, { variables, seconds }: Configured): Promise<void> {
    await this.#lambda.send(
      new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables: variables }, Timeout: seconds }),
    );
  }
}
