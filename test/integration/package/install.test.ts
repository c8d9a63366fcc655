import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { App } from 'aws-cdk-lib';
import { loadConfig } from '../../../lib/config.ts';
import { enginePackages } from '../../../lib/engine-programs.ts';
import { FoundationStack } from '../../../lib/foundation-stack.ts';
import { ServiceStack } from '../../../lib/service-stack.ts';
import { builtinTools } from '../../../tools/catalogue.ts';

interface CfnTemplate {
  readonly Resources: Record<string, { readonly Type: string; readonly Properties: Record<string, unknown> }>;
}

jest.setTimeout(300_000);
const root = resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'claimcheck-install-'));
const context = { 'claimcheck.architecture': 'x86_64' };
const run = (command: string, args: readonly string[], cwd = folder, more: Readonly<Record<string, string>> = {}) =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...more },
  });

/** What a real project has already; linked, so that the test needs no more from a registry. */
function link(...names: readonly string[]): void {
  for (const name of names) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), place);
  }
}

/** What somebody's strict project compiles with; answers what the compiler says of it, and of the files of this package. */
function compile(file: string, more: object = {}): string {
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
    ...more,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: strict, include: [file] }));
  try {
    return run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')]);
  } catch (error) {
    const lines = String((error as { readonly stdout?: string }).stdout).split('\n');
    return lines.filter((line) => /^[\w-]+\.ts|^node_modules\/claimcheck/.test(line)).join('\n');
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

it('the package is small, and says whose work its bundles hold', () => {
  const tarball = readdirSync(join(root, 'dist')).find((name) => name.endsWith('.tgz')) as string;
  const { size } = statSync(join(root, 'dist', tarball));
  process.stdout.write(`${tarball}: ${size} bytes\n`);
  expect(size).toBeLessThan(4 * 1024 * 1024);
  expect(readFileSync(join(folder, 'node_modules/claimcheck/LICENSE'), 'utf8')).toContain('MIT License');
  const notices = readFileSync(join(folder, 'node_modules/claimcheck/THIRD-PARTY.txt'), 'utf8');
  for (const name of ['@aws-sdk/client-s3', 'zod', 'vega-lite', 'openid-client']) expect(notices).toContain(`${name} `);
});

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

it('digests of large texts are made on a thread of the package, which keeps no process alive', () => {
  writeFileSync(
    join(folder, 'large.js'),
    `import { createHash } from 'node:crypto';
     import { setTimeout as sleep } from 'node:timers/promises';
     import { FileCatalogue, FileResultStore, References, withResultsByReference } from 'claimcheck';
     import { DigestThreads } from './node_modules/claimcheck/files/digests/digest-threads.js';
     const threads = new DigestThreads({ processors: 2 });
     const store = new FileResultStore('large');
     const made = [];
     store.digests = (bytes) => {
       const digests = threads.digests(bytes);
       made.push(digests === undefined ? 'here' : 'there');
       return digests;
     };
     const references = new References({ store, catalogue: new FileCatalogue('large') });
     const text = JSON.stringify(Array.from({ length: 40_000 }, (_, id) => ({ id, note: 'a row of a large result' })));
     const tool = withResultsByReference(() => text, { references, name: 'rows', context: () => ({ owner: 'ada', session: 's' }) });
     const right = async (call) => (await tool({ call })).stored.sha256 === createHash('sha256').update(text).digest('hex');
     made.push(await right(1), await right(2));
     while (!threads.thread.ready) await sleep(2);
     made.push(await right(3));
     console.log(made.join());`,
  );
  expect(run(process.execPath, ['large.js']).trim()).toBe('here,here,true,true,there,true');
});

it('the engine of analyze_result names what it needs, and with that runs over a folder', () => {
  writeFileSync(
    join(folder, 'analysis.js'),
    `import { References, resultsFolder } from 'claimcheck';
     import { inProcessEngine } from 'claimcheck/analysis';
     const { store, catalogue } = resultsFolder('analysed');
     const references = new References({ store, catalogue, analysis: await inProcessEngine({ store }) });
     const run = references.run({ owner: 'ada', session: 's' });
     const value = Array.from({ length: 9000 }, (_, id) => ({ id, even: id % 2 === 0 }));
     const { stored } = await references.keep({ run, tool: 'rows', toolUseId: 'a', input: {} }, { kind: 'value', value });
     const ask = async (program) => (await references.analyze(run, { inputs: { data: stored.ref }, ...program })).text;
     console.log(JSON.parse(await ask({ sql: 'SELECT even, max(id) FROM data GROUP BY even ORDER BY even' })).rows);
     console.log(JSON.parse(await ask({ script: 'let n = 0; for (const row of rows("data")) n += row.id; return n;' })).result);`,
  );
  const start = () => run(process.execPath, ['--no-warnings', 'analysis.js']);
  expect(start).toThrow(/analysis: expected @duckdb\/node-bindings and @resvg\/resvg-js to be installed/);
  link('@duckdb/node-bindings', '@resvg/resvg-js');
  expect(start()).toBe('[ [ false, 8999 ], [ true, 8998 ] ]\n40495500\n');
});

it('the check of tokens and the stores on AWS need what docs/package.md names, and nothing else', () => {
  writeFileSync(
    join(folder, 'tokens.js'),
    `import { jwtVerifier } from 'claimcheck/tokens';
     const rules = { kind: 'oidc', issuer: 'https://login.example.com', clientId: 'results', jwksUri: 'https://login.example.com/jwks' };
     console.log(await jwtVerifier(rules).verify('no token'));`,
  );
  link('aws-jwt-verify');
  expect(run(process.execPath, ['tokens.js'])).toBe('undefined\n');
  writeFileSync(
    join(folder, 'stores.js'),
    `import { documentClient, DynamoCatalogue, S3ResultStore, s3Client } from 'claimcheck/aws';
     import { References } from 'claimcheck';
     const store = new S3ResultStore(s3Client(), 'bucket');
     const references = new References({ store, catalogue: new DynamoCatalogue(documentClient(), 'catalogue') });
     console.log(references.run({ owner: 'Ada', session: 's' }).owner);`,
  );
  link('@aws-sdk/client-s3', '@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb');
  expect(run(process.execPath, ['stores.js'], folder, { AWS_REGION: 'eu-west-1' })).toBe('ada\n');
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
  expect(compile('app.ts')).toBe('');
});

it('types of engine and adapters resolve beside the frameworks, which bring their own', () => {
  link('langchain', '@langchain/core', 'deepagents', 'ai', '@strands-agents/sdk', '@modelcontextprotocol/sdk');
  writeFileSync(
    join(folder, 'adapters.ts'),
    `import { References, resultsFolder } from 'claimcheck';
     import { resultsByReference as forAiSdk } from 'claimcheck/ai-sdk';
     import { inProcessEngine } from 'claimcheck/analysis';
     import { resultsByReference as forLangChain } from 'claimcheck/langchain';
     import { mcpHttpServer } from 'claimcheck/mcp';
     import { resultsByReference as forStrands } from 'claimcheck/strands';
     import { createAgent } from 'langchain';
     import { createDeepAgent } from 'deepagents';
     const { store, catalogue } = resultsFolder('r');
     const references = new References({ store, catalogue, analysis: await inProcessEngine({ store }) });
     const options = { references, context: () => ({ owner: 'ada', session: 's' }), windowTokens: 9, maxTokens: 1 };
     createAgent({ model: 'm', tools: [], middleware: [forLangChain(options)] });
     createDeepAgent({ model: 'm', tools: [], middleware: [forLangChain(options)] });
     export const all = [forStrands(options), forAiSdk(options).tools({}), mcpHttpServer];
     // @ts-expect-error: it is not known whose call it is
     forLangChain({ references, windowTokens: 9, maxTokens: 1 });`,
  );
  expect(compile('adapters.ts', { lib: ['ES2023', 'DOM'] })).toBe('');
  expect(compile('adapters.ts', { lib: ['ES2023', 'DOM'], skipLibCheck: true })).toBe('');
});

describe('somebody else’s CDK app', () => {
  beforeAll(() => {
    // The engine's native code for this machine, as if it were installed; what is missing the construct fetches itself.
    const native = enginePackages('x64').filter((name) => !existsSync(join(folder, 'node_modules', name)));
    link('aws-cdk-lib', 'constructs', ...native);
    writeFileSync(
      join(folder, 'cdk.ts'),
      `import { App } from 'aws-cdk-lib';
       import { builtinTools, FoundationStack, loadConfig, ServiceStack } from 'claimcheck/cdk';
       const app = new App();
       const config = loadConfig(app.node.getAllContext());
       const { stateful } = new FoundationStack(app, 'Results-Foundation', { config });
       new ServiceStack(app, 'Results-Service', { config, stateful, tools: [], builtins: builtinTools });
       app.synth();`,
    );
  });
  const synthesise = (file: string, outdir: string) =>
    run(process.execPath, ['--no-warnings', file], folder, {
      CDK_OUTDIR: join(folder, outdir),
      CDK_CONTEXT_JSON: JSON.stringify(context),
      CDK_VALIDATION: 'false',
    });
  const template = (outdir: string, stack: string): CfnTemplate =>
    JSON.parse(readFileSync(join(folder, outdir, `${stack}.template.json`), 'utf8'));

  it('of seven lines has the whole service, in the very templates that are tested here', () => {
    expect(compile('cdk.ts', { noEmit: false })).toBe('');
    synthesise('cdk.js', 'out');
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...context } });
    const config = loadConfig(context);
    const foundation = new FoundationStack(app, 'Results-Foundation', { config });
    const { stateful } = foundation;
    const service = new ServiceStack(app, 'Results-Service', { config, stateful, tools: [], builtins: builtinTools });
    const assembly = app.synth();
    for (const { stackName } of [foundation, service]) {
      const here = assembly.getStackByName(stackName).template;
      expect(withoutAssets(template('out', stackName))).toEqual(withoutAssets(here));
    }
    expect(namesOf('out')).toHaveLength(Object.keys(service.functions).length);
    const kinds = Object.values(template('out', 'Results-Service').Resources).map(({ Type }) => Type);
    expect(kinds).toContain('AWS::CloudWatch::Dashboard');
  });

  it('deploys functions that start and know the tools of that app', () => {
    const names = namesOf('out');
    expect(names.length).toBeGreaterThan(14);
    for (const name of names) expect(readdirSync(assetOf('out', name))).toContain('index.mjs');
    const listing = assetOf('out', 'claimcheck-list-results');
    const program = `const { definitions } = await import(${JSON.stringify(join(listing, 'tool-definitions.mjs'))});
      console.log(definitions.map(({ name }) => name).join(' '));
      await import(${JSON.stringify(join(listing, 'index.mjs'))}).then(() => {}, ({ message }) => console.log(message));`;
    const out = run(process.execPath, ['--no-warnings', '--input-type=module', '-e', program]);
    expect(out).toContain('list_results read_result analyze_result');
    // It came as far as its own check of its variables.
    expect(out).toContain('CLAIMCHECK_RUNS');
    expect(readdirSync(assetOf('out', 'claimcheck-web'))).toEqual(expect.arrayContaining(['index.html', 'app.js']));
    const engine = assetOf('out', 'claimcheck-analysis-engine');
    expect(readdirSync(engine)).toContain('sql-child.cjs');
    expect(readdirSync(join(engine, 'node_modules/@duckdb'))).toContain('node-bindings-linux-x64');
  });

  it('has a tool of its own, bundled from its own file; without a bundler it is told what to install', () => {
    writeFileSync(
      join(folder, 'weather.ts'),
      `export const handler = async (event: { input: { place: string } }) =>
         ({ status: 'success', content: [{ text: \`fine in \${event.input.place}\` }] });`,
    );
    const app = readFileSync(join(folder, 'cdk.js'), 'utf8').replace(
      'tools: []',
      `tools: [{
        entry: new URL('weather.ts', import.meta.url).pathname, memoryMb: 256, files: [], wrapper: false,
        definition: {
          name: 'weather', version: '1', description: 'weather', inputSchema: { type: 'object' }, intake: 'answer',
          roles: ['*'], retry: 'idempotent', budgetBytes: 4096, timeoutMs: 5000, population: 'finite',
        },
      }]`,
    );
    writeFileSync(join(folder, 'own-tool.js'), app);
    expect(() => synthesise('own-tool.js', 'own')).toThrow(/esbuild: expected it to be installed/);
    link('esbuild');
    synthesise('own-tool.js', 'own');
    const program = `const { handler } = await import(${JSON.stringify(join(assetOf('own', 'claimcheck-tool-weather'), 'index.mjs'))});
      console.log((await handler({ input: { place: 'Turin' } })).content[0].text);`;
    expect(run(process.execPath, ['--input-type=module', '-e', program])).toBe('fine in Turin\n');
    expect(readFileSync(join(assetOf('own', 'claimcheck-run-tool'), 'tool-definitions.mjs'), 'utf8')).toContain(
      'weather',
    );
  });

  /** Ours are named; what the CDK brings for itself is not. */
  function namesOf(outdir: string): readonly string[] {
    return Object.values(template(outdir, 'Results-Service').Resources).flatMap(({ Type, Properties }) =>
      Type === 'AWS::Lambda::Function' && typeof Properties['FunctionName'] === 'string'
        ? [Properties['FunctionName']]
        : [],
    );
  }

  function assetOf(outdir: string, functionName: string): string {
    const found = Object.values(template(outdir, 'Results-Service').Resources).find(
      ({ Properties }) => Properties['FunctionName'] === functionName,
    );
    if (found === undefined) throw new Error(`${outdir}: there is no function ${functionName}`);
    const { S3Key } = found.Properties['Code'] as { readonly S3Key: string };
    return join(folder, outdir, `asset.${S3Key.replace('.zip', '')}`);
  }
});

/** Everything but the digests of the bundles, which name the tools of each app. */
function withoutAssets(template: object): unknown {
  return JSON.parse(JSON.stringify(template).replace(/[0-9a-f]{64}/g, 'asset'));
}
