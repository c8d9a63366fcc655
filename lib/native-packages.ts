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
  const installed = path.join(projectRoot, 'node_modules', name);
  if (existsSync(path.join(installed, 'package.json'))) return installed;
  const { version, integrity } = lockedPackage(name);
  const kept = path.join(projectRoot, '.local', 'packages', `${name.replace('/', '+')}@${version}`);
  if (!existsSync(path.join(kept, 'package.json'))) fetchPackage(`${name}@${version}`, integrity, kept);
  return kept;
}

interface LockedPackage {
  readonly version: string;
  readonly integrity: string;
}

function lockedPackage(name: string): LockedPackage {
  const lock = JSON.parse(readFileSync(path.join(projectRoot, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = lock.packages[`node_modules/${name}`];
  if (found === undefined) throw new Error(`package-lock.json: expected ${name}, found nothing`);
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
