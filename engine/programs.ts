import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
/** What runs in processes of its own beside the programs: native code, which nobody else can bring. */
const native = ['@duckdb/node-bindings', '@resvg/resvg-js'];

/** The folder of the engine's programs: the package brings them, a checkout builds them for this process. */
export async function enginePrograms(): Promise<string> {
  const packed = join(root, 'engine-programs');
  if (existsSync(packed)) return checked(packed);
  return checked(await builtPrograms(join(root, '.local')));
}

/** Built anew, and kept under the digest of what came out: other processes may be running the same. */
async function builtPrograms(local: string): Promise<string> {
  const { buildEnginePrograms } = await import('../lib/engine-programs.ts');
  mkdirSync(local, { recursive: true });
  const built = mkdtempSync(join(local, 'engine-build-'));
  try {
    buildEnginePrograms(built);
    const hash = createHash('sha256');
    for (const name of readdirSync(built).sort()) hash.update(name).update(readFileSync(join(built, name)));
    const kept = join(local, `engine-programs-${hash.digest('hex').slice(0, 16)}`);
    if (existsSync(kept)) utimesSync(kept, new Date(), new Date());
    else renameSync(built, kept);
    return kept;
  } catch (error) {
    // Another process has put the same there in between.
    if ((error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return builtPrograms(local);
    throw error;
  } finally {
    rmSync(built, { recursive: true, force: true });
    for (const name of readdirSync(local)) {
      const path = join(local, name);
      if (name.startsWith('engine-') && isOld(path)) rmSync(path, { recursive: true, force: true });
    }
  }
}

/** A week ago, by nobody used since. */
function isOld(path: string): boolean {
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Number.POSITIVE_INFINITY };
  return mtimeMs < Date.now() - 7 * 86_400_000;
}

/** Throws an error that names what to install. */
function checked(programs: string): string {
  const { resolve: found } = createRequire(join(programs, 'program'));
  const missing = native.filter((name) => {
    try {
      return found(name) === '';
    } catch {
      return true;
    }
  });
  if (missing.length === 0) return programs;
  throw new Error(
    `analysis: expected ${missing.join(' and ')} to be installed, in the versions of this package's peerDependencies`,
  );
}
