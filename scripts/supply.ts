import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

/** One installed package, direct or not. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Needed for development and tests only: nothing of it is deployed. */
  readonly dev: boolean;
}

/** Licences that ask for no more than a notice. */
const permissive = new Set([
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', 'Unlicense'],
  ...['CC0-1.0', 'CC-BY-4.0', 'Python-2.0', 'PostgreSQL', 'W3C', 'WTFPL', 'Zlib'],
]);

/**
 * Whether a licence expression (SPDX) can be met by permissive licences alone: one side of an OR is enough, both sides
 * of an AND are needed. AND binds closer than OR; nesting does not occur among what is installed and is refused.
 */
export function isPermissive(expression: string): boolean {
  const bare = expression.replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(bare)) return false;
  return bare.split(' OR ').some((side) => side.split(' AND ').every((name) => permissive.has(name.trim())));
}

/** Packages whose licence is not permissive, or not known, and that have no exception with a reason. */
export function licenceProblems(
  packages: readonly Installed[],
  exceptions: Readonly<Record<string, { readonly licence: string; readonly devOnly: boolean }>>,
): readonly string[] {
  return packages.flatMap(({ name, licence, dev }) => {
    if (isPermissive(licence)) return [];
    const known = exceptions[name];
    if (known === undefined) return [`${name}: ${licence}`];
    if (known.licence !== licence) return [`${name}: ${licence}, accepted was ${known.licence}`];
    return known.devOnly && !dev ? [`${name}: ${licence} was accepted for tests only, and is deployed`] : [];
  });
}

/** Everything that the lock file installs here, with the licence that the package itself names. */
export function installedPackages(root: string): readonly Installed[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
  };
  return Object.entries(lock.packages).flatMap(([path, { dev, devOptional }]) => {
    const file = join(root, path, 'package.json');
    // Optional packages of other processors are in the lock file and not on the disk.
    if (path === '' || !existsSync(file)) return [];
    const { name, version, license, licenses } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    return [
      {
        name: String(name),
        version: String(version),
        licence: licenceOf(license ?? licenses),
        dev: dev === true || devOptional === true,
      },
    ];
  });
}

/** One Python package of the local platform: nothing of it is deployed. */
export interface PythonPackage {
  readonly name: string;
  readonly version: string;
}

/** What a requirements file names, each at one exact version. Throws for a line that says anything else. */
export function pythonRequirements(text: string): readonly PythonPackage[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, version] = /^([A-Za-z0-9._-]+)==([0-9][A-Za-z0-9.]*)$/.exec(line.trim()) ?? [];
      if (name === undefined || version === undefined) throw new Error(`requirements: name==version expected: ${line}`);
      return { name, version };
    });
}

/** Names of licences as Python packages write them, in the words of SPDX. */
const pythonLicences: Readonly<Record<string, string>> = {
  'MIT License': 'MIT',
  'MIT license': 'MIT',
  'The MIT License (MIT)': 'MIT',
  'Apache License': 'Apache-2.0',
  PSFL: 'Python-2.0',
  // Of `python-dateutil`, whose LICENSE names both.
  'Dual License': 'Apache-2.0 OR BSD-3-Clause',
};

/** The licence that the metadata of an installed Python package names, as an SPDX expression where it is known. */
export function pythonLicence(metadata: string): string {
  const heading = metadata.split('\n\n')[0] ?? '';
  const named = /^License-Expression: (.+)$/m.exec(heading)?.[1] ?? /^License: (.+)$/m.exec(heading)?.[1] ?? 'unknown';
  return pythonLicences[named.trim()] ?? named.trim();
}

/** A name, or one of the older shapes `{type}` and `[{type}]`. */
function licenceOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(licenceOf).join(' OR ');
  const type = (value as { readonly type?: unknown } | undefined)?.type;
  return typeof type === 'string' ? type : 'unknown';
}

/** Direct dependencies that no source file, script or configuration names, and no other one needs as its peer. */
export function unusedDependencies(
  manifest: Manifest,
  sources: readonly string[],
  peers: readonly string[] = [],
): readonly string[] {
  const text = [...sources, ...Object.values(manifest.scripts)].join('\n');
  return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter((name) => {
    const types = /^@types\/(.+)$/.exec(name)?.[1];
    // Types serve the package that they describe; the runtime's and the test runner's serve every file.
    if (types !== undefined) return !['node', 'jest'].includes(types) && !names(text, types);
    return !names(text, name) && !peers.includes(name);
  });
}

/** What direct dependencies want to find beside them. */
export function peersOf(root: string, manifest: Manifest): readonly string[] {
  return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).flatMap((name) => {
    const file = join(root, 'node_modules', name, 'package.json');
    if (!existsSync(file)) return [];
    const { peerDependencies = {}, peerDependenciesMeta = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly peerDependencies?: Record<string, string>;
      readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>;
    };
    return Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  });
}

function names(text: string, name: string): boolean {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w@/.-])(?:node_modules/)?${escaped}(?![\\w.-])`).test(text);
}

/** Imports by packages that are not direct dependencies: they would break when another package drops them. */
export function undeclaredImports(
  manifest: Manifest,
  sources: readonly string[],
  builtin: readonly string[],
): readonly string[] {
  const declared = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)]);
  const found = new Set<string>();
  for (const source of sources) {
    for (const [, from = ''] of source.matchAll(/^(?:import|export)\b[^'"]*?from '([^'.][^']*)';?$/gm)) {
      const name = from.startsWith('@') ? from.split('/').slice(0, 2).join('/') : (from.split('/')[0] ?? '');
      if (from.startsWith('node:') || builtin.includes(name) || declared.has(name) || declared.has(`@types/${name}`))
        continue;
      found.add(name);
    }
  }
  return [...found];
}

/** Top-level folders of ours that can name a package. */
export const sourceFolders = [
  'adapters',
  'aws',
  'bench',
  'bin',
  'console',
  'core',
  'engine',
  'entry',
  'examples',
  'files',
  'lambdas',
  'lib',
  'local',
  'prompts',
  'scripts',
  'test',
  'tools',
];
const single = ['jest.config.mjs', 'biome.json', 'cdk.json', 'tsconfig.json'];

/** The text of everything of ours that can name a package. */
export function sourceTexts(root: string): readonly string[] {
  const inFolders = sourceFolders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter(
          (name) => /\.(?:ts|mts|mjs|js)$/.test(name) && !name.includes('fixtures') && !name.includes('node_modules'),
        )
        .map((name) => join(folder, name)),
    );
  return [...inFolders, ...single].map((name) => readFileSync(join(root, name), 'utf8'));
}
