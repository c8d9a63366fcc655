import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

jest.setTimeout(300_000);
const root = resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-install-'));
const run = (command: string, args: readonly string[], cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** What a real project has already; linked, so that the test needs no more from a registry. */
function link(...names: readonly string[]): void {
  for (const name of names) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), place);
  }
}

beforeAll(() => {
  run(process.execPath, ['--import', 'tsx', 'scripts/build-package.ts'], root);
  const tarball = readdirSync(join(root, 'dist')).find((name) => name.endsWith('.tgz')) as string;
  writeFileSync(join(folder, 'package.json'), '{"name":"consumer","type":"module","private":true}');
  run('npm', [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    join(root, 'dist', tarball),
  ]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('one dependency is installed; the wrapper is imported and keeps a result to its last record', () => {
  expect(
    readdirSync(join(folder, 'node_modules'))
      .filter((name) => !name.startsWith('.'))
      .sort(),
  ).toEqual(['claimcheck', 'zod']);
  writeFileSync(
    join(folder, 'app.js'),
    `import { FileCatalogue, FileResultStore, References, withResultsByReference } from 'claimcheck';
     const references = new References({ store: new FileResultStore('results'), catalogue: new FileCatalogue('results') });
     const rows = Array.from({ length: 9000 }, (_, id) => ({ id, note: id === 8999 ? 'the last one' : 'a row' }));
     const tool = withResultsByReference(() => rows, { references, name: 'rows', context: () => ({ owner: 'ada', session: 's' }) });
     const kept = await tool({});
     const { text } = await references.read(references.run({ owner: 'ada', session: 's' }), { ref: kept.stored.ref, offset: 8999 });
     console.log(kept.stored.records, text.includes('the last one'));`,
  );
  expect(run(process.execPath, ['app.js']).trim()).toBe('9000 true');
});

it('types resolve under strict rules, declarations checked too', () => {
  link('@types/node', 'undici-types');
  writeFileSync(
    join(folder, 'app.ts'),
    `import { FileCatalogue, FileResultStore, type Kept, References, withResultsByReference } from 'claimcheck';
     import { parseReference } from 'claimcheck/core/reference/reference';
     const references = new References({ store: new FileResultStore('r'), catalogue: new FileCatalogue('r') });
     const tool = withResultsByReference(async ({ page }: { page: number }) => [page], { references, name: 'rows', context: () => undefined });
     export const answer: number[] | Kept = await tool({ page: 1 });
     export const { session }: { readonly session: string } = parseReference('');
     // @ts-expect-error: a page is a number
     await tool({ page: 'one' });`,
  );
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    module: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023'],
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: strict, include: ['app.ts'] }));
  expect(run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')])).toBe('');
});

it('a construct is synthesised in somebody else’s CDK app of ten lines', () => {
  link('aws-cdk-lib', 'constructs', 'esbuild');
  writeFileSync(
    join(folder, 'cdk.js'),
    `import { App } from 'aws-cdk-lib';
     import { FoundationStack, loadConfig } from 'claimcheck/cdk';
     const app = new App({ outdir: 'out' });
     const stack = new FoundationStack(app, 'Results', { config: loadConfig({}) });
     const { template } = app.synth().getStackByName(stack.stackName);
     const kinds = Object.values(template.Resources).map(({ Type }) => Type);
     console.log(kinds.filter((kind) => kind === 'AWS::S3::Bucket' || kind === 'AWS::DynamoDB::Table').join(' '));`,
  );
  expect(run(process.execPath, ['cdk.js'])).toContain('AWS::S3::Bucket AWS::DynamoDB::Table');
});
