import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { buildBundle, bundleOptions, projectRoot } from '../../lib/bundling.ts';

/** The clients that a function's own code makes, by what its bundle holds: package, class, the commands that make it useful. */
const clients: readonly (readonly [string, string, readonly string[]])[] = [
  ['@aws-sdk/client-s3', 'S3Client', ['GetObjectCommand', 'PutObjectCommand', 'HeadObjectCommand']],
  ['@aws-sdk/client-dynamodb', 'DynamoDBClient', []],
  ['@aws-sdk/client-lambda', 'LambdaClient', ['InvokeCommand']],
  ['@aws-sdk/client-bedrock-runtime', 'BedrockRuntimeClient', ['ConverseCommand']],
  ['@aws-sdk/client-sfn', 'SFNClient', ['StartExecutionCommand']],
  ['@aws-sdk/client-secrets-manager', 'SecretsManagerClient', ['GetSecretValueCommand']],
  ['@aws-sdk/client-cognito-identity-provider', 'CognitoIdentityProviderClient', ['AdminListGroupsForUserCommand']],
];

/**
 * Builds into `target` a handler that makes the clients which `entry` bundles, and nothing else, with the options of
 * every function's bundle. Answers how many clients they are; with none, nothing is built.
 */
export function buildSdkOnly(entry: string, target: string): number {
  const inputs = inputsOf(entry);
  const used = clients.filter(([name]) => inputs.includes(`node_modules/${name}/`));
  if (used.length === 0) return 0;
  const lines = used.flatMap(([name, client, commands]) => [
    `import { ${[client, ...commands].join(', ')} } from '${name}';`,
    `const made${client} = [new ${client}({}), ${commands.join(', ')}];`,
  ]);
  const made = used.map(([, client]) => `made${client}`);
  if (inputs.includes('node_modules/@aws-sdk/lib-dynamodb/')) {
    made.push('documents');
    lines.push(
      "import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';",
      'const documents = [DynamoDBDocumentClient.from(madeDynamoDBClient[0]), GetCommand, PutCommand, QueryCommand];',
    );
  }
  // Inside the project, so that the packages are found.
  const file = join(projectRoot, '.local', `cold-start-${process.pid}.mjs`);
  mkdirSync(join(projectRoot, '.local'), { recursive: true });
  writeFileSync(file, `${lines.join('\n')}\nexport const handler = async () => [${made.join(', ')}];\n`);
  try {
    buildBundle({ entry: file }, target);
  } finally {
    rmSync(file);
  }
  return used.length;
}

/** What is in the bundle, one path a line. A file that was read but left out does not count: it is in no bundle. */
function inputsOf(entry: string): string {
  const { metafile } = buildSync({
    ...bundleOptions,
    absWorkingDir: projectRoot,
    entryPoints: [entry],
    outdir: projectRoot,
    write: false,
    metafile: true,
  });
  return Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => file)
    .join('\n');
}
