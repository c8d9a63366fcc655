import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../lib/bundling.ts';
import { argumentsOf } from './arguments.ts';
import { compileKernel, kernelModule, recordsKernel, utf8Kernel } from './build-kernel/compile.ts';

/** `npm run kernel`: compiles the kernels and writes the modules that hold them. */
argumentsOf({
  name: 'kernel',
  usage: `npm run kernel

Compiles core/kernel/assembly and core/encoding/assembly to WebAssembly and writes core/kernel/records-wasm.ts and
core/encoding/utf8-wasm.ts.
`,
});
for (const kernel of [recordsKernel, utf8Kernel]) {
  const wasm = compileKernel(kernel);
  writeFileSync(join(projectRoot, kernel.module), kernelModule(wasm, kernel));
  process.stdout.write(`${kernel.module}: ${wasm.length} bytes of WebAssembly\n`);
}
