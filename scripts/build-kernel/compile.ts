import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../lib/bundling.ts';

export interface Kernel {
  /** AssemblyScript. */
  readonly source: string;
  /** The TypeScript module that holds it compiled, and the name that it has there. */
  readonly module: string;
  readonly name: string;
  /** Of memory, 64 KiB each; nothing grows. What lies where is in the source. */
  readonly pages: number;
}

/** JSON records of a list; characters of a text. */
export const recordsKernel: Kernel = {
  source: 'core/kernel/assembly/records.ts',
  module: 'core/kernel/records-wasm.ts',
  name: 'recordsWasm',
  pages: 9 + 64,
};
export const utf8Kernel: Kernel = {
  source: 'core/encoding/assembly/utf8.ts',
  module: 'core/encoding/utf8-wasm.ts',
  name: 'utf8Wasm',
  pages: 3,
};

/** Compiles a kernel; the same source gives the same bytes. Throws with the compiler's words where it is faulty. */
export function compileKernel({ source, pages }: Kernel = recordsKernel): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-kernel-'));
  try {
    const made = join(folder, 'kernel.wasm');
    const args = [source, '-O3', '--noAssert', '--runtime', 'stub', '-o', made];
    const memory = ['--initialMemory', String(pages), '--maximumMemory', String(pages)];
    const features = ['--enable', 'simd', '--enable', 'bulk-memory'];
    const compiler = join(projectRoot, 'node_modules/assemblyscript/bin/asc.js');
    execFileSync(process.execPath, [compiler, ...args, ...memory, ...features], { cwd: projectRoot, stdio: 'pipe' });
    return readFileSync(made);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The source of the module that holds the compiled kernel. */
export function kernelModule(wasm: Uint8Array, { name }: Kernel = recordsKernel): string {
  const lines = Buffer.from(wasm)
    .toString('base64')
    .match(/.{1,112}/g) as string[];
  return [
    '// Made by `npm run kernel` from `assembly/`: not to be changed by hand.',
    '/** The kernel as WebAssembly, base64. */',
    `export const ${name} = [`,
    ...lines.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ].join('\n');
}
