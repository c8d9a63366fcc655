import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { bundleOptions, projectRoot } from '../../lib/bundling.ts';
import { roleOf } from './policies.ts';
import { synthesize } from './synthesis.ts';

// A right that no code of the function can use is one too many. What a function can ask for is read off its bundle's own
// sources: the SDK commands that they make.
const synthesis = synthesize();

/** SDK command → the IAM action that it needs. */
const actions: Readonly<Record<string, string>> = {
  GetCommand: 'dynamodb:GetItem',
  QueryCommand: 'dynamodb:Query',
  PutCommand: 'dynamodb:PutItem',
  UpdateCommand: 'dynamodb:UpdateItem',
  DeleteCommand: 'dynamodb:DeleteItem',
  GetObjectCommand: 's3:GetObject',
  HeadObjectCommand: 's3:GetObject',
  PutObjectCommand: 's3:PutObject',
  CreateMultipartUploadCommand: 's3:PutObject',
  UploadPartCommand: 's3:PutObject',
  CompleteMultipartUploadCommand: 's3:PutObject',
  AbortMultipartUploadCommand: 's3:AbortMultipartUpload',
  InvokeCommand: 'lambda:InvokeFunction',
  StartExecutionCommand: 'states:StartExecution',
  DescribeExecutionCommand: 'states:DescribeExecution',
  ConverseCommand: 'bedrock:InvokeModel',
  ConverseStreamCommand: 'bedrock:InvokeModelWithResponseStream',
  GetSecretValueCommand: 'secretsmanager:GetSecretValue',
  StartCodeInterpreterSessionCommand: 'bedrock-agentcore:StartCodeInterpreterSession',
  InvokeCodeInterpreterCommand: 'bedrock-agentcore:InvokeCodeInterpreter',
  StopCodeInterpreterSessionCommand: 'bedrock-agentcore:StopCodeInterpreterSession',
  AdminListGroupsForUserCommand: 'cognito-idp:AdminListGroupsForUser',
};

/** Needed by no command of its own. */
const implied = /^(logs|xray):|^s3:ListBucket$/;
/** What Lambda itself needs to place a function in a network; the function's own code is denied it. */
const placing =
  /^ec2:(Create|Describe|Delete)NetworkInterfaces?$|^ec2:(Una|A)ssignPrivateIpAddresses$|^ec2:DescribeSubnets$/;
const placed = new Set(['analysis-engine']);

test.each(Object.values(synthesis.stacks.service.functions))(
  '$name may do nothing that it never does',
  ({ name, source }) => {
    const usable = new Set([...commandsOf(source.entry)].map((command) => actions[command] ?? `unknown ${command}`));
    expect([...usable].filter((action) => action.startsWith('unknown'))).toEqual([]);
    const granted = roleOf(synthesis, `claimcheck-${name}`)
      .statements.filter((statement) => statement.Effect !== 'Deny')
      .flatMap((statement) => [statement.Action].flat());
    const unused = [...new Set(granted)].filter((action) => !implied.test(action) && !usable.has(action));
    expect(unused.filter((action) => !(placed.has(name) && placing.test(action)))).toEqual([]);
  },
);

function commandsOf(entry: string): ReadonlySet<string> {
  const { metafile } = buildSync({
    ...bundleOptions,
    minify: false,
    sourcemap: false,
    absWorkingDir: projectRoot,
    entryPoints: [entry],
    outfile: 'unwritten/index.mjs',
    metafile: true,
    write: false,
  });
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs));
  const own = inputs.filter(([file, { bytesInOutput }]) => bytesInOutput > 0 && !file.includes('node_modules'));
  const text = own.map(([file]) => readFileSync(path.join(projectRoot, file), 'utf8')).join('\n');
  return new Set([...text.matchAll(/new (\w+Command)\(/g)].map(([, command]) => command ?? ''));
}
