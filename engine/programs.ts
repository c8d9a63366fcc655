import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
/** What runs in processes of its own beside the programs: native code, which nobody else can bring. */
const native = ['@duckdb/node-bindings', '@resvg/resvg-js'];

/** The folder of the engine's programs: the package brings them, a checkout builds them for this process. */
export async function enginePrograms(): Promise<string> {
  const packed = join(root, 'engine-programs');
  if (existsSync(packed)) return checked(packed);
  const { buildEnginePrograms } = await import('../lib/engine-programs.ts');
  mkdirSync(join(root, '.local'), { recursive: true });
  const built = mkdtempSync(join(root, '.local', 'engine-programs-'));
  process.once('exit', () => rmSync(built, { recursive: true, force: true }));
  buildEnginePrograms(built);
  return checked(built);
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
