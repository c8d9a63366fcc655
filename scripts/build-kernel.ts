import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../lib/bundling.ts';
import { argumentsOf } from './arguments.ts';
import { compileKernel, kernelModule } from './build-kernel/compile.ts';

/** `npm run kernel`: compiles `core/kernel/assembly` and writes the module that holds it. */
argumentsOf({
  name: 'kernel',
  usage: `npm run kernel

Compiles core/kernel/assembly to WebAssembly and writes core/kernel/records-wasm.ts.
`,
});
const wasm = compileKernel();
writeFileSync(join(projectRoot, 'core/kernel/records-wasm.ts'), kernelModule(wasm));
process.stdout.write(`core/kernel/records-wasm.ts: ${wasm.length} bytes of WebAssembly\n`);
