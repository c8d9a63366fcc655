import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { bundleOptions, projectRoot } from './bundling.ts';

/** What runs in processes and threads of its own, each a file beside the handler. */
const programs = ['sql-child', 'script-worker', 'chart-child'] as const;

/** Packages with native code: they stand in `node_modules` beside the programs. */
export const nativeModules = ['@duckdb/node-api', '@duckdb/node-bindings', '@resvg/resvg-js'] as const;

const beside = [
  'node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm',
  'node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
] as const;

/** Builds the engine's programs into `folder`, with the files that they read; native packages are not among them. */
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
