import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildBundle, projectRoot } from '../../lib/bundling.ts';
import { concrete } from './concrete.ts';
import { ownFunctions, synthesize } from './synthesis.ts';

// Every function's bundle, built by the stacks' own options, imported by a process that has the function's own
// variables and no others: a variable that the code needs and the stack forgot fails here.
const synthesis = synthesize();
const folder = mkdtempSync(path.join(tmpdir(), 'claimcheck-bundles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const functions = Object.values(synthesis.stacks.service.functions);

test('every function of the template is one of the bundles', () => {
  const names = ownFunctions(synthesis.service).map(([, each]) => each.Properties['FunctionName']);
  expect(names.sort()).toEqual(functions.map((each) => `claimcheck-${each.name}`).sort());
});

for (const { name, source } of functions) {
  test(`${name}: the bundle exports a handler and is small`, () => {
    const target = path.join(folder, name);
    buildBundle(source, target);
    const bundle = path.join(target, 'index.mjs');
    // Parts that are imported on demand are files of their own; together they are what is deployed. The engine’s
    // programs beside it are counted apart.
    const bytes = readdirSync(target)
      .filter((file) => (name === 'analysis-engine' ? file === 'index.mjs' : file.endsWith('.mjs')))
      .reduce((sum, file) => sum + statSync(path.join(target, file)).size, 0);
    expect(bytes).toBeLessThan(name === 'analysis-engine' ? 3_000_000 : 1_000_000);
    expect(existsSync(`${bundle}.map`)).toBe(true);

    const program = `const loaded = await import(${JSON.stringify(bundle)}); process.stdout.write(typeof loaded.handler);`;
    const child = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
      env: { ...environmentOf(name), AWS_REGION: 'eu-central-1', AWS_LAMBDA_FUNCTION_NAME: `claimcheck-${name}` },
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect({ name, stderr: child.stderr.slice(-2_000), handler: child.stdout }).toEqual({
      name,
      stderr: '',
      handler: 'function',
    });
  });
}

test('no function holds what only a browser or a person’s own machine needs, nor the large kind of schemas', () => {
  for (const { name } of functions) {
    const sources = readdirSync(path.join(folder, name))
      .filter((file) => file.endsWith('.mjs.map'))
      .flatMap(
        (file) => (JSON.parse(readFileSync(path.join(folder, name, file), 'utf8')) as { sources: string[] }).sources,
      );
    expect(sources.length).toBeGreaterThan(0);
    const unwanted = /\/(bowser|credential-provider-(ini|process|sso|login)|zod\/v4\/(classic|locales))\//;
    expect({ name, found: sources.filter((source) => unwanted.test(source)) }).toEqual({ name, found: [] });
  }
});

test('without credentials in its environment a function says so, and looks into no file of a person', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'claimcheck-home-'));
  mkdirSync(path.join(home, '.aws'));
  writeFileSync(
    path.join(home, '.aws', 'credentials'),
    '[default]\ncredential_process = touch started\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = none\n',
  );
  const probe = path.join(folder, 'probe');
  const entry = path.join(projectRoot, '.local', `probe-${process.pid}.mjs`);
  mkdirSync(path.dirname(entry), { recursive: true });
  writeFileSync(
    entry,
    "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';\nexport const found = () => new DynamoDBClient({}).config.credentials();\n",
  );
  try {
    buildBundle({ entry }, probe);
  } finally {
    rmSync(entry);
  }
  const ask = (variables: Record<string, string>) => {
    const program = `const { found } = await import(${JSON.stringify(path.join(probe, 'index.mjs'))});
      found().then((keys) => console.log(keys.accessKeyId), (error) => console.log(error.name, error.message));`;
    return spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
      env: { AWS_REGION: 'eu-central-1', AWS_EC2_METADATA_DISABLED: 'true', HOME: home, ...variables },
      cwd: home,
      encoding: 'utf8',
    }).stdout.trim();
  };
  expect(ask({ AWS_ACCESS_KEY_ID: 'AKIDROLE', AWS_SECRET_ACCESS_KEY: 'x' })).toBe('AKIDROLE');
  expect(ask({})).toMatch(/^CredentialsProviderError /);
  expect(readdirSync(home)).toEqual(['.aws']);
  rmSync(home, { recursive: true });
});

test('a function that lost a variable does not start', () => {
  const { CLAIMCHECK_RUNS: _, ...rest } = environmentOf('save-turn');
  const program = `await import(${JSON.stringify(path.join(folder, 'save-turn', 'index.mjs'))});`;
  const child = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
    env: { ...rest, AWS_REGION: 'eu-central-1' },
    encoding: 'utf8',
  });
  expect(child.status).not.toBe(0);
  expect(child.stderr).toContain('CLAIMCHECK_RUNS');
});

function environmentOf(name: string): Record<string, string> {
  const resources = ownFunctions(synthesis.service).map(([, each]) => each.Properties);
  const found = resources.find((each) => each['FunctionName'] === `claimcheck-${name}`);
  if (found === undefined) throw new Error(`there is no function ${name}`);
  const { Variables } = found['Environment'] as { Variables: Record<string, unknown> };
  const { NODE_OPTIONS: _, ...variables } = concrete(Variables, synthesis, synthesis.service) as Record<string, string>;
  return variables;
}
