import { readFileSync } from 'node:fs';
import { documentClient, s3Client, stepFunctionsClient } from '../aws/clients.ts';
import { ownerData } from '../aws/owner-data.ts';
import { sessionTable } from '../aws/session-table.ts';
import { eraseOwner, ownerOfArgument } from '../core/erase/erase-owner.ts';
import { systemClock } from '../core/telemetry/telemetry.ts';
import { argumentsOf, refuse } from './arguments.ts';

const command = {
  name: 'erase',
  usage: `npm run erase -- --owner KEY [--outputs FILE] [--dry-run]

Removes everything that is kept for one owner: sign-ins, objects, catalogue rows, chats and runs. From the first
moment on nothing more is admitted or written for that owner. Broken off, it can simply be run again.

  --owner KEY     the owner key, as it stands in object keys (the lower-cased, percent-encoded subject)
  --outputs FILE  the stacks' outputs, as "cdk deploy --outputs-file FILE" writes them (default cdk-outputs.json)
  --dry-run       only counts what there is

Credentials, region and end points are the AWS SDK's own (AWS_PROFILE, AWS_REGION, …). Prints its report as JSON.
`,
  options: { owner: 'an owner key', outputs: 'a file', 'dry-run': 'flag' },
} as const;

async function main(): Promise<number> {
  const { values, flags } = argumentsOf(command);
  if (values['owner'] === undefined) return refuse(command, '--owner: expected an owner key');
  const owner = ownerOfArgument(values['owner']);
  const output = outputsOf(values['outputs'] ?? 'cdk-outputs.json');
  const documents = documentClient();
  const tables = {
    runs: output('RunsTable'),
    catalog: output('CatalogTable'),
    chats: output('ChatsTable'),
    sessions: output('SessionsTable'),
  };
  const data = ownerData({
    s3: s3Client(),
    documents,
    executions: stepFunctionsClient(),
    sessions: sessionTable(documents, tables.sessions),
    bucket: output('BucketName'),
    tables,
  });
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const report = await eraseOwner(owner, { ...data, clock: systemClock, say }, { dry: flags.has('dry-run') });
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  return 0;
}

/** Outputs by name, of whichever stack has them; a file may also hold them without stacks. */
function outputsOf(file: string): (name: string) => string {
  const parsed = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const all = Object.assign({}, parsed, ...Object.values(parsed).filter((value) => typeof value === 'object'));
  return (name) => {
    const value: unknown = all[name];
    if (typeof value !== 'string') throw new Error(`${file}: there is no output ${name}`);
    return value;
  };
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`erase: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
