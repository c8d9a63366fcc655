import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * `npm run package`: compiles the library into `dist/package` (ES modules and declarations) and packs it into
 * `dist/<name>-<version>.tgz`. It depends on little: what a store, a framework or a CDK app needs is theirs to have, so
 * those are optional peers in the versions that are tested here.
 */
const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'dist', 'package');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: object;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};
/** Needed by the wrapper itself. */
const needed = ['zod'];
const entries = {
  '.': 'entry/index',
  './aws': 'entry/aws',
  './mcp': 'entry/mcp',
  './cdk': 'entry/cdk',
  './strands': 'adapters/strands',
  './langchain': 'adapters/langchain',
  './ai-sdk': 'adapters/ai-sdk',
  './core/*': 'core/*',
};

rmSync(folder, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.package.json'], {
  cwd: root,
  stdio: 'inherit',
});
const peers = new Set<string>();
for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  const path = join(folder, file);
  if (file.endsWith('.d.ts')) {
    const text = readFileSync(path, 'utf8');
    // The compiler leaves the sources' own endings in declarations.
    writeFileSync(path, text.replace(/((?:from|import\()\s*['"]\.{1,2}\/[^'"]*)\.ts(['"])/g, '$1.js$2'));
  }
  if (!/\.(js|d\.ts)$/.test(file)) continue;
  for (const [, name] of readFileSync(path, 'utf8').matchAll(/(?:from|import\()\s*['"]((?:@[\w.-]+\/)?[\w.-]+)/g)) {
    if (name !== undefined && !name.startsWith('.') && !name.startsWith('node')) peers.add(name);
  }
}
const known = { ...manifest.dependencies, ...manifest.devDependencies };
const versions = (names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (known[name] === undefined ? [] : [[name, `^${known[name]}`]])));
const optional = [...peers].filter((name) => known[name] !== undefined && !needed.includes(name)).sort();
writeFileSync(
  join(folder, 'package.json'),
  `${JSON.stringify(
    {
      name: manifest.name,
      version: manifest.version,
      description: manifest.description,
      license: manifest.license,
      type: 'module',
      engines: manifest.engines,
      exports: Object.fromEntries(
        Object.entries(entries).map(([name, path]) => [name, { types: `./${path}.d.ts`, default: `./${path}.js` }]),
      ),
      bin: { 'claimcheck-mcp': './adapters/mcp/main.js' },
      dependencies: versions(needed),
      peerDependencies: versions(optional),
      peerDependenciesMeta: Object.fromEntries(optional.map((name) => [name, { optional: true }])),
    },
    null,
    2,
  )}\n`,
);
copyFileSync(join(root, 'README.md'), join(folder, 'README.md'));
chmodSync(join(folder, 'adapters/mcp/main.js'), 0o755);
execFileSync('npm', ['pack', folder, '--pack-destination', join(root, 'dist'), '--silent'], {
  cwd: root,
  stdio: 'inherit',
});
