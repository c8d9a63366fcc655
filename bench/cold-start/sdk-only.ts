import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { buildBundle, bundleOptions, projectRoot } from '../../lib/bundling.ts';

/** An SDK package in a bundle: the client's class, if it is one, and the commands that the function uses. */
interface UsedPackage {
  readonly name: string;
  client?: string;
  readonly commands: string[];
}

/**
 * Builds into `target` a handler that makes the same SDK clients as the function of `entry` and holds the same commands
 * (and the signer of addresses, where it has one), and nothing else, with the options of every function's bundle.
 * Answers how many clients they are; with none, nothing is built.
 */
export function buildSdkOnly(entry: string, target: string): number {
  const used = usedPackages(entry);
  const clients = used.filter(({ client }) => client !== undefined);
  if (clients.length === 0) return 0;
  const lines = used.map(({ name }, n) => `import * as sdk${n} from '${name}';`);
  const held = used.flatMap(({ name, client, commands }, n) => [
    ...(client === undefined ? [] : [`new sdk${n}.${client}({})`]),
    ...commands.map((command) => `sdk${n}.${command}`),
    ...(name === '@aws-sdk/lib-dynamodb' ? [`sdk${n}.DynamoDBDocumentClient.from(documents)`] : []),
    ...(name === '@aws-sdk/s3-request-presigner' ? [`sdk${n}.getSignedUrl`] : []),
  ]);
  const tables = used.findIndex(({ name }) => name === '@aws-sdk/client-dynamodb');
  if (tables >= 0) lines.push(`const documents = new sdk${tables}.DynamoDBClient({});`);
  lines.push(`const held = [${held.join(', ')}];`, 'export const handler = async () => held;', '');
  // Inside the project, so that the packages are found.
  const file = join(projectRoot, '.local', `cold-start-${process.pid}.mjs`);
  mkdirSync(join(projectRoot, '.local'), { recursive: true });
  writeFileSync(file, lines.join('\n'));
  try {
    buildBundle({ entry: file }, target);
  } finally {
    rmSync(file);
  }
  return clients.length;
}

/** The SDK packages in a function's bundle. A file that was read but left out does not count: it is in no bundle. */
function usedPackages(entry: string): readonly UsedPackage[] {
  const { metafile } = buildSync({
    ...bundleOptions,
    absWorkingDir: projectRoot,
    entryPoints: [entry],
    outdir: projectRoot,
    write: false,
    metafile: true,
  });
  const packages = new Map<string, UsedPackage>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const part =
        /^node_modules\/(@aws-sdk\/(?:client-[^/]+|lib-dynamodb|s3-request-presigner))\/dist-es\/(.*)\.js$/.exec(file);
      if (part === null || bytesInOutput === 0) continue;
      const [, name = '', path = ''] = part;
      const found = packages.get(name) ?? { name, commands: [] };
      packages.set(name, found);
      if (/^commands\/\w+Command$/.test(path)) found.commands.push(path.replace('commands/', ''));
      // The class behind the bare client; `S3.js`, with a method for every command, is in no bundle.
      else if (/^\w+Client$/.test(path) && name.startsWith('@aws-sdk/client-')) found.client = path;
    }
  }
  return [...packages.values()];
}
