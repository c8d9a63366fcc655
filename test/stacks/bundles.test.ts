import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildBundle } from '../../lib/bundling.ts';
import { concrete } from './concrete.ts';
import { ownFunctions, synthesize } from './synthesis.ts';

// Every function's bundle, built by the stacks' own options, imported by a process that has the function's own
// variables and no others: a variable that the code needs and the stack forgot fails here.
const synthesis = synthesize();
const folder = mkdtempSync(path.join(tmpdir(), 'claimcheck-bundles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MiB = 1024 * 1024;
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
    expect(bytes).toBeLessThan(name === 'analysis-engine' ? 3 * MiB : MiB);
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
