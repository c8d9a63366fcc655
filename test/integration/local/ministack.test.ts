import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateFunctionCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { isRunning } from '../../../local/command.ts';
import { localFolder } from '../../../local/folder.ts';
import { credentials, type MiniStack, region, startMiniStack } from '../../../local/ministack.ts';
import { freePort, portIsFree } from '../../../local/port.ts';
import { isPermissive, pythonLicence, pythonRequirements } from '../../../scripts/supply.ts';

jest.setTimeout(120_000);
const root = mkdtempSync(join(tmpdir(), 'ministack-'));
const folder = localFolder(root);
let stack: MiniStack;
let port: number;

const start = () =>
  startMiniStack({
    port,
    venv: folder.venv,
    state: folder.state,
    objects: folder.objects,
    log: join(folder.logs, 'ministack.log'),
    modelUrl: 'http://127.0.0.1:9',
  });
const options = () => ({ endpoint: stack.url, region, credentials });

beforeAll(async () => {
  process.env['CLAIMCHECK_SECRET_OF_THE_DEVELOPER'] = 'seen';
  port = await freePort();
  stack = await start();
});

afterAll(async () => {
  await stack.stop();
  rmSync(root, { recursive: true, force: true });
});

test('exactly what the requirements name is installed, and each of it under a permissive licence', () => {
  // Where there is no Python the emulator comes as an image, and nothing is installed here.
  if (!existsSync(folder.venv)) return expect(existsSync(join(folder.venv, 'bin', 'python'))).toBe(false);
  const [version = ''] = readdirSync(join(folder.venv, 'lib'));
  const packages = join(folder.venv, 'lib', version, 'site-packages');
  const plain = (name: string) => name.toLowerCase().replace(/[-_.]+/g, '-');
  const installed = readdirSync(packages)
    .filter((name) => name.endsWith('.dist-info'))
    .map((name) => {
      const metadata = readFileSync(join(packages, name, 'METADATA'), 'utf8');
      const of = (field: string) => new RegExp(`^${field}: (.+)$`, 'm').exec(metadata)?.[1] ?? '';
      return { name: plain(of('Name')), version: of('Version'), licence: pythonLicence(metadata) };
    })
    // They come with the environment itself.
    .filter(({ name }) => name !== 'pip' && name !== 'setuptools');
  const wanted = pythonRequirements(readFileSync(join(import.meta.dirname, '../../../local/requirements.txt'), 'utf8'));
  const named = (each: { readonly name: string; readonly version: string }) => `${plain(each.name)} ${each.version}`;
  expect(installed.map(named).sort()).toEqual(wanted.map(named).sort());
  expect(installed.filter(({ licence }) => !isPermissive(licence))).toEqual([]);
});

test('a function sees the emulator and the model, and nothing of the developer’s environment', async () => {
  const source = 'exports.handler = async () => ({...process.env})';
  writeFileSync(join(root, 'index.js'), source);
  execFileSync(join(folder.venv, 'bin', 'python'), ['-m', 'zipfile', '-c', 'code.zip', 'index.js'], { cwd: root });
  const lambda = new LambdaClient(options());
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName: 'environment',
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Role: 'arn:aws:iam::000000000000:role/none',
      Code: { ZipFile: readFileSync(join(root, 'code.zip')) },
    }),
  );
  const answer = await lambda.send(new InvokeCommand({ FunctionName: 'environment' }));
  const seen = JSON.parse(Buffer.from(answer.Payload ?? []).toString('utf8')) as Record<string, string>;
  expect(seen['AWS_ENDPOINT_URL']).toBe(stack.url);
  expect(seen['AWS_ENDPOINT_URL_BEDROCK_RUNTIME']).toBe('http://127.0.0.1:9');
  expect(JSON.stringify(seen)).not.toContain('SECRET_OF_THE_DEVELOPER');
  lambda.destroy();
});

test('what was made is there again after a stop and a start, and a stop leaves no process and no open port', async () => {
  const before = new S3Client(options());
  await before.send(new CreateBucketCommand({ Bucket: 'kept' }));
  before.destroy();
  const { pid } = stack;
  await stack.stop();
  expect(isRunning(pid)).toBe(false);
  expect(await portIsFree(port)).toBe(true);
  stack = await start();
  const after = new S3Client(options());
  await expect(after.send(new HeadBucketCommand({ Bucket: 'kept' }))).resolves.toBeDefined();
  after.destroy();
});
