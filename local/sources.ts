import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a deployment is made from: the app, the functions, what they bundle, and the exact packages. */
const sources = [
  'bin',
  'lib',
  'lambdas',
  'core',
  'aws',
  'tools',
  'prompts',
  'console',
  'cdk.json',
  'package-lock.json',
];

/** SHA-256 over the names and bytes of all sources and over `settings`: unchanged means nothing to deploy. */
export function deploymentDigest(checkout: string, settings: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const source of sources) add(hash, join(checkout, source), source);
  return hash.digest('hex');
}

function add(hash: ReturnType<typeof createHash>, path: string, name: string): void {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return;
  if (entry.isFile()) {
    hash.update(`\0${name}\0`).update(readFileSync(path));
    return;
  }
  for (const child of readdirSync(path).sort()) {
    if (child !== 'node_modules' && child !== 'dist') add(hash, join(path, child), `${name}/${child}`);
  }
}
