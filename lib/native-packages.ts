import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from './bundling.ts';

/** Processor names as npm packages have them. */
export type Processor = 'arm64' | 'x64';

/**
 * Copies packages into `<folder>/node_modules`. What npm has not installed, since it is for another processor than this
 * machine's, is fetched once by npm itself at the version and digest of the lock file, and kept beside the checkout.
 */
export function copyPackages(names: readonly string[], folder: string): void {
  for (const name of names) {
    cpSync(packageFolder(name), path.join(folder, 'node_modules', name), { recursive: true, dereference: true });
  }
}

function packageFolder(name: string): string {
  const { version, integrity } = lockedPackage(name);
  const installed = installedPackage(name, version);
  if (installed !== undefined) return installed;
  const kept = path.join(keptFolder(), `${name.replace('/', '+')}@${version}`);
  if (!existsSync(path.join(kept, 'package.json'))) fetchPackage(`${name}@${version}`, integrity, kept);
  return kept;
}

/** Here or, where this is itself a package, beside it; in no other version than the one that is tested. */
function installedPackage(name: string, version: string): string | undefined {
  for (let folder = projectRoot; ; folder = path.dirname(folder)) {
    const found = path.join(folder, 'node_modules', name);
    const manifest = path.join(found, 'package.json');
    if (existsSync(manifest) && (JSON.parse(readFileSync(manifest, 'utf8')) as LockedPackage).version === version) {
      return found;
    }
    if (folder === path.dirname(folder)) return undefined;
  }
}

const lockFile = path.join(projectRoot, 'package-lock.json');

function keptFolder(): string {
  return existsSync(lockFile)
    ? path.join(projectRoot, '.local', 'packages')
    : path.join(projectRoot, '..', '.cache', 'claimcheck');
}

export interface LockedPackage {
  readonly version: string;
  readonly integrity: string;
}

/** Versions and digests of native packages: of the lock file, which the package brings a part of under its own name. */
export const lockedPackagesFile = 'locked-packages.json';

export function lockedPackage(name: string): LockedPackage {
  const file = existsSync(lockFile) ? lockFile : path.join(projectRoot, lockedPackagesFile);
  const lock = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = lock.packages[`node_modules/${name}`];
  if (found === undefined) throw new Error(`${path.basename(file)}: expected ${name}, found nothing`);
  return found;
}

function fetchPackage(named: string, integrity: string, target: string): void {
  const work = `${target}.${process.pid}`;
  mkdirSync(work, { recursive: true });
  try {
    run('npm', ['pack', named, '--pack-destination', work, '--silent', '--ignore-scripts']);
    const archive = path.join(work, readdirSync(work).find((name) => name.endsWith('.tgz')) ?? '');
    const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (found !== integrity) throw new Error(`${named}: expected ${integrity}, found ${found}`);
    run('tar', ['-xzf', archive, '-C', work]);
    if (existsSync(target)) rmSync(target, { recursive: true });
    renameSync(path.join(work, 'package'), target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd: projectRoot, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args[0]} failed (${status}): ${stderr.slice(-2_000)}`);
}
