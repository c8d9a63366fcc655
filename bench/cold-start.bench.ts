import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { buildSync } from 'esbuild';
import { buildBundle, bundleOptions, projectRoot } from '../lib/bundling.ts';
import { loadConfig } from '../lib/config.ts';
import { FoundationStack } from '../lib/foundation-stack.ts';
import { ServiceStack } from '../lib/service-stack.ts';
import { builtinTools, deployedTools } from '../tools/catalogue.ts';

/**
 * What a cold start loads: the size of each function's bundle, and how long its import takes beside that of a handler
 * which makes the same SDK clients and does nothing else. Both in fresh processes of Node 24, turn by turn, so that a
 * busy machine meets both alike; the ratio of the medians counts.
 */
const rounds = Number(process.env['CLAIMCHECK_BENCH_ROUNDS'] ?? 9);
const largestRatio = 1.3;
const largestBytes = 1024 * 1024;

/** The clients that a function's own code makes, by what its bundle holds. */
const clients: readonly (readonly [string, string, string])[] = [
  ['client-s3', 'S3Client', '@aws-sdk/client-s3'],
  ['client-dynamodb', 'DynamoDBClient', '@aws-sdk/client-dynamodb'],
  ['client-lambda', 'LambdaClient', '@aws-sdk/client-lambda'],
  ['client-bedrock-runtime', 'BedrockRuntimeClient', '@aws-sdk/client-bedrock-runtime'],
  ['client-sfn', 'SFNClient', '@aws-sdk/client-sfn'],
  ['client-secrets-manager', 'SecretsManagerClient', '@aws-sdk/client-secrets-manager'],
  ['client-cognito-identity-provider', 'CognitoIdentityProviderClient', '@aws-sdk/client-cognito-identity-provider'],
];
/** The commands that make each client useful: without one, esbuild would leave most of it out. */
const commands: Readonly<Record<string, readonly string[]>> = {
  S3Client: ['GetObjectCommand', 'PutObjectCommand', 'HeadObjectCommand'],
  DynamoDBClient: [],
  LambdaClient: ['InvokeCommand'],
  BedrockRuntimeClient: ['ConverseCommand'],
  SFNClient: ['StartExecutionCommand'],
  SecretsManagerClient: ['GetSecretValueCommand'],
  CognitoIdentityProviderClient: ['AdminListGroupsForUserCommand'],
};

const folder = mkdtempSync(join(tmpdir(), 'claimcheck-cold-start-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const node = node24();
  process.stdout.write(
    `Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}, ${rounds} rounds, medians in ms\n`,
  );
  const wanted = process.argv.slice(2);
  const functions = functionsOf().filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  let failed = false;
  process.stdout.write('| function | bundle | import | SDK alone | ratio |\n| --- | ---: | ---: | ---: | ---: |\n');
  for (const each of functions) {
    const own = join(folder, each.name);
    buildBundle(each.source, own);
    const plain = join(folder, `${each.name}-sdk`);
    const used = sdkOnly(each.source.entry, plain);
    const times = { own: [] as number[], sdk: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      times.own.push(await importTime(node, join(own, 'index.mjs'), each.variables));
      if (used > 0) times.sdk.push(await importTime(node, join(plain, 'index.mjs'), {}));
    }
    const bytes = readdirSync(own)
      .filter((name) => name.endsWith('.mjs'))
      .reduce((sum, name) => sum + statSync(join(own, name)).size, 0);
    const ratio = used === 0 ? undefined : median(times.own) / median(times.sdk);
    const large = bytes > largestBytes || (ratio ?? 0) > largestRatio;
    failed ||= large;
    const cells = [
      each.name,
      `${Math.round(bytes / 1000)} kB`,
      median(times.own).toFixed(0),
      used === 0 ? 'uses none' : median(times.sdk).toFixed(0),
      ratio === undefined ? '–' : `${ratio.toFixed(2)}${large ? ' (too large)' : ''}`,
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
  return failed ? 1 : 0;
}

interface MeasuredFunction {
  readonly name: string;
  readonly source: { readonly entry: string };
  readonly variables: Readonly<Record<string, string>>;
}

/** Every function of the app but the engine, with variables that let it be imported. */
function functionsOf(): readonly MeasuredFunction[] {
  process.env['CDK_VALIDATION'] = 'false';
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
  const config = loadConfig({});
  const { stateful } = new FoundationStack(app, 'Foundation', { config });
  const service = new ServiceStack(app, 'Service', { config, stateful, tools: deployedTools, builtins: builtinTools });
  const identity = {
    kind: 'cognito',
    issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_x',
    clientId: 'c',
    audience: 'c',
    jwksUri: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_x/.well-known/jwks.json',
    authorizeUrl: 'https://x.example/authorize',
    tokenUrl: 'https://x.example/token',
    userPoolId: 'eu-central-1_x',
    scopes: 'openid',
    roles: 'cognito',
    caseSensitive: false,
  };
  const variables = {
    CLAIMCHECK_NAME: 'claimcheck',
    CLAIMCHECK_SETTINGS: '{}',
    ...Object.fromEntries(
      ['BUCKET', 'RUNS', 'CATALOG', 'CHATS', 'SESSIONS'].map((name) => [`CLAIMCHECK_${name}`, 'x']),
    ),
    CLAIMCHECK_BASE_URL: 'https://check.example',
    CLAIMCHECK_TOOLS: '{}',
    CLAIMCHECK_FLOWS: '{}',
    CLAIMCHECK_ENGINE: '{"engine":"x"}',
    CLAIMCHECK_SECRET: 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:x',
    CLAIMCHECK_IDENTITY: JSON.stringify(identity),
    CLAIMCHECK_MODELS: JSON.stringify(config.models),
    CLAIMCHECK_EXAMPLE_RECORDS: '10',
    CLAIMCHECK_EXAMPLE_SEED: '1',
  };
  return Object.values(service.functions)
    .filter(({ name }) => name !== 'analysis-engine')
    .map(({ name, source }) => ({ name, source, variables }));
}

/** A handler that makes the clients that `entry` bundles, and nothing else. Answers how many they are. */
function sdkOnly(entry: string, target: string): number {
  mkdirSync(target, { recursive: true });
  const { metafile } = buildSync({
    ...bundleOptions,
    absWorkingDir: projectRoot,
    entryPoints: [entry],
    outdir: target,
    write: false,
    metafile: true,
  });
  const inputs = Object.keys(metafile.inputs).join('\n');
  const used = clients.filter(([folderName]) => inputs.includes(`node_modules/@aws-sdk/${folderName}/`));
  const lines = used.flatMap(([, client, module]) => [
    `import { ${[client, ...(commands[client] ?? [])].join(', ')} } from '${module}';`,
    `const made${client} = [new ${client}({}), ${(commands[client] ?? []).join(', ')}];`,
  ]);
  if (inputs.includes('node_modules/@aws-sdk/lib-dynamodb/')) {
    lines.push(
      "import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';",
      'const documents = [DynamoDBDocumentClient.from(madeDynamoDBClient[0]), GetCommand, PutCommand, QueryCommand];',
    );
  }
  const names = [
    ...used.map(([, client]) => `made${client}`),
    ...(lines.join().includes('const documents') ? ['documents'] : []),
  ];
  // Inside the project, so that the packages are found; the same options as every function's bundle.
  const file = join(projectRoot, '.local', `cold-start-${process.pid}.mjs`);
  mkdirSync(join(projectRoot, '.local'), { recursive: true });
  writeFileSync(file, `${lines.join('\n')}\nexport const handler = async () => [${names.join(', ')}];\n`);
  try {
    buildBundle({ entry: file }, target);
  } finally {
    rmSync(file);
  }
  return used.length;
}

async function importTime(node: string, file: string, variables: Readonly<Record<string, string>>): Promise<number> {
  const program = `const began = performance.now(); await import(${JSON.stringify(file)}); process.stdout.write(String(performance.now() - began)); process.exit(0);`;
  const child = spawn(node, ['--no-warnings', '--input-type=module', '-e', program], {
    env: { ...variables, AWS_REGION: 'eu-central-1', AWS_LAMBDA_FUNCTION_NAME: 'bench' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let wrong = '';
  child.stdout.on('data', (piece) => {
    said += String(piece);
  });
  child.stderr.on('data', (piece) => {
    wrong += String(piece);
  });
  await new Promise((resolve) => child.once('close', resolve));
  const time = Number.parseFloat(said);
  if (!Number.isFinite(time)) throw new Error(`${file} could not be imported:\n${wrong.slice(-1_000)}`);
  return time;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The binary of Node 24: this process's own, or the one that npm fetches. */
function node24(): string {
  if (process.versions.node.startsWith('24.')) return process.execPath;
  const found = spawnSync('npx', ['-y', '-p', 'node@24', 'node', '-p', 'process.execPath'], {
    encoding: 'utf8',
    cwd: tmpdir(),
  });
  const path = found.stdout.trim();
  if (found.status !== 0 || path === '')
    throw new Error(`Node 24 is needed, and npm could not fetch it: ${found.stderr.slice(-500)}`);
  return path;
}
