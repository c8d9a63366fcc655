import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runCommand } from './command.ts';
import type { LocalFolder } from './folder.ts';
import { credentials, region } from './ministack.ts';
import { deploymentDigest } from './sources.ts';

const checkout = resolve(import.meta.dirname, '..');
const account = '000000000000';

/** What the example tools make their data from. */
export interface ExampleData {
  readonly records: number;
  readonly seed: number;
}

/** What of a deployment depends on where and for what it is made. */
export interface DeploymentTarget {
  readonly port: number;
  readonly apiId: string;
  readonly examples: ExampleData;
  /** Further settings of `lib/config.ts` as dotted names without the prefix, e.g. `run.maxTurns`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The outputs of both stacks, by name (docs/contracts.md). */
export type StackOutputs = Readonly<Record<string, string>>;

/** Where people reach the local service: the emulator serves the API under its id. */
export function baseUrl(port: number, apiId: string): string {
  return `http://127.0.0.1:${port}/_aws/execute-api/${apiId}/$default`;
}

/** The CDK context of the local platform: the same app, at the emulator's addresses and without what it refuses. */
export function deploymentContext(target: DeploymentTarget): Readonly<Record<string, unknown>> {
  const emulator = `http://127.0.0.1:${target.port}`;
  const settings: Record<string, unknown> = {
    publicBaseUrl: baseUrl(target.port, target.apiId),
    'api.customId': target.apiId,
    'examples.records': target.examples.records,
    'examples.seed': target.examples.seed,
    'features.engineNetwork': false,
    // Functions are processes of this machine: native code has to be its own.
    architecture: process.arch === 'arm64' ? 'arm64' : 'x86_64',
    'identity.local': true,
    'identity.endpoints.jwks': `${emulator}/{userPoolId}/.well-known/jwks.json`,
    'identity.endpoints.authorization': `${emulator}/oauth2/authorize`,
    'identity.endpoints.token': `${emulator}/oauth2/token`,
    'identity.endpoints.endSession': `${emulator}/logout`,
    models: JSON.stringify({
      '*': { modelId: 'scripted.claimcheck-v1:0', windowTokens: 200_000, maxTokens: 4096, cachePoints: true },
      // Streamed answers are tried by one agent of the research flow.
      analyst: {
        modelId: 'scripted.claimcheck-v1:0',
        windowTokens: 200_000,
        maxTokens: 4096,
        cachePoints: true,
        stream: true,
      },
    }),
    removeDataOnDestroy: true,
    ...target.settings,
  };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`claimcheck.${name}`, value]));
}

/** The environment of the CDK CLI: the emulator's address and nothing of the developer's AWS configuration. */
function cliEnvironment(folder: LocalFolder, port: number): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(AWS_|CDK_|NODE_OPTIONS$)/.test(name));
  return {
    ...Object.fromEntries(inherited),
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_REGION: region,
    AWS_CONFIG_FILE: join(folder.root, 'no-aws-config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder.root, 'no-aws-credentials'),
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DEFAULT_ACCOUNT: account,
    CDK_DEFAULT_REGION: region,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    // The stack tests and an ordinary synth check the rules; here it would only cost time.
    CDK_VALIDATION: 'false',
  };
}

const quiet = ['--no-notices', '--no-version-reporting', '--no-color'];
const cdk = join(checkout, 'node_modules', 'aws-cdk', 'bin', 'cdk');

/** The templates and bundles of the app for this target, made beside everything else: needs no emulator. */
export async function synthesize(folder: LocalFolder, target: DeploymentTarget, abort?: AbortSignal): Promise<string> {
  const output = join(folder.root, 'cdk.out');
  const context = Object.entries(deploymentContext(target)).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  await cli(folder, target, ['synth', '--quiet', '--output', output, ...context], abort);
  return output;
}

/** Prepares the emulated account for deployments, as in any new account. */
export async function bootstrap(folder: LocalFolder, target: DeploymentTarget, abort?: AbortSignal): Promise<void> {
  // In a folder without cdk.json: the command would synthesise the app for nothing.
  await cli(folder, target, ['bootstrap', `aws://${account}/${region}`], abort, folder.root);
}

/** Deploys a synthesised app and answers its outputs. */
export async function deploy(
  folder: LocalFolder,
  target: DeploymentTarget,
  assembly: string,
  say: (line: string) => void,
  abort?: AbortSignal,
): Promise<StackOutputs> {
  const file = join(folder.root, 'outputs.json');
  const stacks = /^\S+: (?:deploying\.\.\.|creating|updating|deployed)|✅/;
  await cli(
    folder,
    target,
    [
      ...['deploy', '--all', '--app', assembly, '--require-approval', 'never', '--method', 'direct'],
      ...['--progress', 'events', '--outputs-file', file, '--asset-parallelism', '--concurrency', '1'],
    ],
    abort,
    checkout,
    (line) => {
      if (stacks.test(line)) say(line.trim());
    },
  );
  return readOutputs(folder);
}

/** The outputs of the last deployment. */
export function readOutputs(folder: LocalFolder): StackOutputs {
  const stacks = JSON.parse(readFileSync(join(folder.root, 'outputs.json'), 'utf8')) as Record<string, StackOutputs>;
  return Object.assign({}, ...Object.values(stacks)) as StackOutputs;
}

/** Changes whenever another deployment would result. */
export function digestOf(target: DeploymentTarget): string {
  return deploymentDigest(checkout, deploymentContext(target));
}

async function cli(
  folder: LocalFolder,
  target: DeploymentTarget,
  args: readonly string[],
  abort?: AbortSignal,
  cwd: string = checkout,
  onLine: (line: string) => void = () => {},
): Promise<void> {
  const { code, output } = await runCommand(process.execPath, [cdk, ...args, ...quiet], {
    cwd,
    env: cliEnvironment(folder, target.port),
    onLine,
    ...(abort === undefined ? {} : { abort }),
  });
  if (abort?.aborted) throw new Error('stopped');
  if (code !== 0) throw new Error(`cdk ${args[0]} failed (${code}):\n${output.split('\n').slice(-40).join('\n')}`);
}
