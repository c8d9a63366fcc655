import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../lib/bundling.ts';

/** Compiles the kernel; the same source gives the same bytes. Throws with the compiler's words where it is faulty. */
export function compileKernel(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'claimcheck-kernel-'));
  try {
    const made = join(folder, 'records.wasm');
    const args = ['core/kernel/assembly/records.ts', '-O3', '--noAssert', '--runtime', 'stub', '-o', made];
    // What lies where is in `assembly/memory.ts`: seven pages, and nothing that grows.
    const memory = ['--initialMemory', '7', '--maximumMemory', '7'];
    const features = ['--enable', 'simd', '--enable', 'bulk-memory'];
    const compiler = join(projectRoot, 'node_modules/assemblyscript/bin/asc.js');
    execFileSync(process.execPath, [compiler, ...args, ...memory, ...features], { cwd: projectRoot, stdio: 'pipe' });
    return readFileSync(made);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The source of the module that holds the compiled kernel. */
export function kernelModule(wasm: Uint8Array): string {
  const lines = Buffer.from(wasm)
    .toString('base64')
    .match(/.{1,112}/g) as string[];
  return [
    '// Made by `npm run kernel` from `assembly/`: not to be changed by hand.',
    '/** The kernel as WebAssembly, base64. */',
    'export const recordsWasm = [',
    ...lines.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ].join('\n');
}
