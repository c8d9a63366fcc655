import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeModules } from '../../lib/engine-programs.ts';
import { lockedPackage } from '../../lib/native-packages.ts';

/** Import paths of the package, and the modules behind them. */
const entries = {
  '.': 'entry/index',
  './aws': 'entry/aws',
  './mcp': 'entry/mcp',
  './tokens': 'entry/tokens',
  './analysis': 'entry/analysis',
  './cdk': 'entry/cdk',
  './strands': 'adapters/strands',
  './langchain': 'adapters/langchain',
  './ai-sdk': 'adapters/ai-sdk',
  './core/*': 'core/*',
};
/** Needed by the wrapper itself. */
const needed = ['zod'];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: object;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/**
 * The package's own `package.json`. It depends on little: what a store, a framework or a CDK app needs is theirs to
 * have, so those are optional peers in the versions that are tested here.
 */
export function manifestOf(root: string, folder: string): object {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const known = { ...manifest.dependencies, ...manifest.devDependencies };
  const versions = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (known[name] === undefined ? [] : [[name, `^${known[name]}`]])));
  // Loaded by the engine's programs, which are built with exactly these.
  const native = Object.fromEntries(nativeModules.map((name) => [name, lockedPackage(name).version]));
  const optional = [...importedBy(folder)].filter((name) => known[name] !== undefined && !needed.includes(name)).sort();
  return {
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
    peerDependencies: { ...versions(optional), ...native },
    peerDependenciesMeta: Object.fromEntries([...optional, ...nativeModules].map((name) => [name, { optional: true }])),
  };
}

/** Packages that the compiled files import; the compiler leaves the sources' own endings in declarations, mended here. */
function importedBy(folder: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|d\.ts)$/.test(file)) continue;
    const path = join(folder, file);
    let text = readFileSync(path, 'utf8');
    if (file.endsWith('.d.ts')) {
      text = text.replace(/((?:from|import\()\s*['"]\.{1,2}\/[^'"]*)\.ts(['"])/g, '$1.js$2');
      writeFileSync(path, text);
    }
    for (const [, name] of text.matchAll(/(?:from|import\()\s*['"]((?:@[\w.-]+\/)?[\w.-]+)/g)) {
      if (name !== undefined && !name.startsWith('.') && !name.startsWith('node')) names.add(name);
    }
  }
  return names;
}
