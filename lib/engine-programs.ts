import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { bundleOptions, projectRoot } from './bundling.ts';
import type { Processor } from './native-packages.ts';

/** What runs in processes and threads of its own, each a file beside the handler. */
const programs = ['sql-child', 'script-worker', 'chart-child'] as const;

/** Packages with native code, which esbuild cannot take in. */
const nativeModules = ['@duckdb/node-bindings', '@resvg/resvg-js'] as const;

/** Everything that has to stand in `node_modules` beside the programs: the packages and their code for a processor. */
export function enginePackages(processor: Processor): readonly string[] {
  return [
    ...nativeModules,
    `@duckdb/node-bindings-linux-${processor}`,
    // Lambda's image and most others are glibc.
    `@resvg/resvg-js-linux-${processor}-gnu`,
  ];
}

const beside = [
  'node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm',
  'node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
  'node_modules/dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf',
] as const;

/** Builds the engine's programs into `folder`, with the files that they read; native packages are not among them (`enginePackages`). */
export function buildEnginePrograms(folder: string): void {
  mkdirSync(folder, { recursive: true });
  buildSync({
    ...bundleOptions,
    absWorkingDir: projectRoot,
    entryPoints: programs.map((name) => path.join(projectRoot, 'lambdas', 'analysis-engine', `${name}.ts`)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    sourcemap: false,
    external: [...nativeModules],
  });
  for (const file of beside) copyFileSync(path.join(projectRoot, file), path.join(folder, path.basename(file)));
}
