import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

jest.setTimeout(120_000);
const root = resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-new-tool-'));
const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['--import', 'tsx', 'scripts/new-tool.ts', ...args, '--folder', folder], {
    cwd: root,
    encoding: 'utf8',
  });

beforeAll(() => {
  for (const part of ['core', 'aws', 'lambdas', 'prompts', 'tools', 'tsconfig.json', 'package.json']) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  mkdirSync(join(folder, 'test/unit/tools'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('adds function, description, catalogue entry and test, which compile as they are; a second time it refuses', () => {
  const made = run('order_list');
  expect(made.status).toBe(0);
  expect(made.stdout.split('\n').slice(0, 5)).toEqual([
    'tools/order-list/definition.ts',
    'tools/order-list/rows.ts',
    'tools/order-list/handler.ts',
    'test/unit/tools/order-list.test.ts',
    'tools/catalogue.ts',
  ]);
  expect(readFileSync(join(folder, 'tools/catalogue.ts'), 'utf8')).toContain(
    "{ definition: orderListTool, entry: 'tools/order-list/handler.ts', memoryMb: 512, files: [], wrapper: true },",
  );
  const imported = readFileSync(join(folder, 'tools/catalogue.ts'), 'utf8').match(/(?<=from ')\.\/[^']+/g) ?? [];
  expect(imported).toContain('./order-list/definition.ts');
  expect(imported).toEqual([...imported].sort());
  writeFileSync(
    join(folder, 'tsconfig.new.json'),
    JSON.stringify({
      extends: './tsconfig.json',
      include: ['tools/order-list', 'tools/catalogue.ts', 'test/unit/tools/order-list.test.ts'],
    }),
  );
  const check = join(root, 'node_modules/typescript/bin/tsc');
  expect(execFileSync(process.execPath, [check, '-p', 'tsconfig.new.json'], { cwd: folder, encoding: 'utf8' })).toBe(
    '',
  );
  const again = run('order_list');
  expect([again.status, again.stderr]).toEqual([1, 'new-tool: tools/order-list/definition.ts is there already\n']);
});

it('its function keeps to the rules of its definition: fields that roles may not see do not leave it', () => {
  const path = join(folder, 'tools/order-list/definition.ts');
  const answer = () =>
    execFileSync(
      process.execPath,
      [
        '--import',
        'tsx',
        '--input-type=module',
        '-e',
        `
        const { handler } = await import('./tools/order-list/handler.ts');
        const id = 'a'.repeat(32);
        const context = { runId: id, turn: 0, index: 0, toolUseId: 'u', tool: 'order_list', owner: 'ada', session: id,
          roles: ['ops'], deadline: new Date(Date.now() + 60_000).toISOString(), resultId: id, availableUntil: '2099-01-01T00:00:00.000Z' };
        const answer = await handler({ input: {}, context });
        console.log('answer ' + JSON.stringify(answer.content));`,
      ],
      {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          CLAIMCHECK_BUCKET: 'results',
          CLAIMCHECK_NAME: 'claimcheck',
          AWS_REGION: 'eu-central-1',
        },
      },
    )
      .split('\n')
      .find((line) => line.startsWith('answer '));
  expect(answer()).toBe('answer [{"text":"{\\"id\\":1}\\n"}]');
  const definition = readFileSync(path, 'utf8');
  writeFileSync(path, definition.replace("population: 'finite',", "population: 'finite',\n  view: { '*': ['name'] },"));
  expect(answer()).toMatch(/^answer \[\{"text":"\{\}/);
  writeFileSync(path, definition);
});

it('a name that no model may call is refused', () => {
  expect(run('Order-List').status).toBe(2);
  expect(run().status).toBe(2);
});
