import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import {
  installedPackages,
  isPermissive,
  licenceProblems,
  type Manifest,
  peersOf,
  pythonLicence,
  pythonRequirements,
  sourceFolders,
  sourceTexts,
  undeclaredImports,
  unusedDependencies,
} from '../../../scripts/supply.ts';

const root = join(import.meta.dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const direct = { ...manifest.dependencies, ...manifest.devDependencies };
const page = readFileSync(join(root, 'docs/decisions/dependencies.md'), 'utf8');

/** Each has its reason in docs/decisions/dependencies.md. */
const exceptions = {
  '@cloud-copilot/iam-simulate': { licence: 'AGPL-3.0-or-later', devOnly: true },
  '@cloud-copilot/iam-policy': { licence: 'AGPL-3.0-or-later', devOnly: true },
  '@cloud-copilot/iam-utils': { licence: 'AGPL-3.0-or-later', devOnly: true },
  'axe-core': { licence: 'MPL-2.0', devOnly: true },
  '@resvg/resvg-js': { licence: 'MPL-2.0', devOnly: false },
  '@resvg/resvg-js-linux-x64-gnu': { licence: 'MPL-2.0', devOnly: false },
  '@resvg/resvg-js-linux-arm64-gnu': { licence: 'MPL-2.0', devOnly: false },
  '@resvg/resvg-js-darwin-arm64': { licence: 'MPL-2.0', devOnly: false },
  'dejavu-fonts-ttf': { licence: 'SEE LICENSE IN README.md AND LICENSE', devOnly: false },
};

test('licences: everything installed is permissive, or an exception that the page explains', () => {
  const packages = installedPackages(root);
  expect(packages.length).toBeGreaterThan(200);
  expect(licenceProblems(packages, exceptions)).toEqual([]);
  for (const name of Object.keys(exceptions)) {
    const family = name
      .replace(/^(@resvg\/resvg-js).*/, '$1')
      .replace(/^@cloud-copilot.*/, '@cloud-copilot/iam-simulate');
    expect(page.split('## Licences')[1]).toContain(`\`${family}\``);
  }
});

test('every direct dependency has one exact version and its reason on the page, and the page names no other', () => {
  for (const [name, version] of Object.entries(direct)) {
    expect({ name, version }).toEqual({ name, version: expect.stringMatching(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/) });
  }
  const listed = [...page.matchAll(/^\| `([^`]+)` +\| (.+) \|$/gm)]
    .filter(([, , reason = '']) => reason.trim().length > 15)
    .map(([, name]) => name);
  expect(listed.sort()).toEqual(Object.keys(direct).sort());
});

test('no dependency is unused, and nothing is imported that is not a dependency', () => {
  const sources = sourceTexts(root);
  expect(unusedDependencies(manifest, sources, peersOf(root, manifest))).toEqual([]);
  expect(undeclaredImports(manifest, sources, builtinModules)).toEqual([]);
});

test('every folder that holds sources is looked through', () => {
  const notOurs = new Set(['node_modules', 'dist', 'cdk.out']);
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !notOurs.has(entry.name))
    .map(({ name }) => name)
    .filter((name) =>
      readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).some((file) => /\.m?[jt]s$/.test(file)),
    );
  expect(folders.length).toBeGreaterThan(10);
  expect(folders.filter((name) => !sourceFolders.includes(name))).toEqual([]);
});

test('every Python package of the local platform has one exact version and its reason on the page', () => {
  const wanted = pythonRequirements(readFileSync(join(root, 'local/requirements.txt'), 'utf8')).map(({ name }) => name);
  const table = page.split('## The local platform')[1]?.split('\n## ')[0] ?? '';
  const listed = [...table.matchAll(/^\| ([A-Za-z0-9._-]+) +\| (?=\S.{10,}\|$)/gm)].map(([, name]) => name);
  expect(wanted.length).toBeGreaterThan(10);
  expect(listed.filter((name) => !/^-+$/.test(name ?? '')).sort()).toEqual([...wanted].sort());
});

test('all clients of the SDK have one version', () => {
  // Not published at that version; bundled only where Python is turned on.
  const apart = '@aws-sdk/client-bedrock-agentcore';
  const versions = Object.entries(direct)
    .filter(([name]) => name.startsWith('@aws-sdk/') && name !== apart)
    .map(([, version]) => version);
  expect(new Set(versions).size).toBe(1);
});

describe('the checks themselves', () => {
  test.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-or-later)', true],
    ['Apache-2.0 AND MIT', true],
    ['Apache-2.0 AND GPL-3.0-only', false],
    ['GPL-3.0-only', false],
    ['unknown', false],
    ['UNLICENSED', false],
  ])('%s is permissive: %s', (expression, expected) => expect(isPermissive(expression)).toBe(expected));

  test('a copyleft package, a changed licence and a deployed test tool are found', () => {
    const made = (licence: string, dev: boolean) => [{ name: 'x', version: '1.0.0', licence, dev }];
    expect(licenceProblems(made('GPL-3.0-only', true), {})).toHaveLength(1);
    expect(licenceProblems(made('GPL-3.0-only', true), { x: { licence: 'MPL-2.0', devOnly: true } })).toHaveLength(1);
    expect(licenceProblems(made('MPL-2.0', false), { x: { licence: 'MPL-2.0', devOnly: true } })).toHaveLength(1);
    expect(licenceProblems(made('MPL-2.0', true), { x: { licence: 'MPL-2.0', devOnly: true } })).toEqual([]);
  });

  test('requirements without an exact version are refused; licences of Python are read in any of their forms', () => {
    expect(pythonRequirements('# why\na==1.2\nB_c==0.1.post0\n')).toEqual([
      { name: 'a', version: '1.2' },
      { name: 'B_c', version: '0.1.post0' },
    ]);
    for (const line of ['a', 'a>=1', 'a==1.*', 'a==1; python_version < "4"']) {
      expect(() => pythonRequirements(line)).toThrow('name==version expected');
    }
    expect(pythonLicence('Name: a\nLicense-Expression: MIT-0\nLicense: x\n\nLicense: GPL')).toBe('MIT-0');
    expect(pythonLicence('Name: a\nLicense: MIT License\n')).toBe('MIT');
    expect(pythonLicence('Name: a\n\nLicense: MIT')).toBe('unknown');
    expect(isPermissive(pythonLicence('License: GPLv3\n'))).toBe(false);
  });

  test('an unused dependency and an undeclared import are found', () => {
    const of = (names: readonly string[]): Manifest => ({
      dependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])),
      devDependencies: {},
      scripts: { go: 'runner --now' },
    });
    const source = "import { a } from 'used/deep';\nimport b from '@scope/other';\n";
    expect(
      unusedDependencies(of(['used', 'use', 'runner', '@scope/other', '@types/used', '@types/gone']), [source]),
    ).toEqual(['use', '@types/gone']);
    expect(undeclaredImports(of(['used']), [source], [])).toEqual(['@scope/other']);
  });
});
