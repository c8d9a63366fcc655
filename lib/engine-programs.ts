import { copyFileSync, cpSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { BuildOptions } from 'esbuild';
import { bundleOptions, projectRoot } from './bundling.ts';
import { esbuild } from './esbuild.ts';
import type { Processor } from './native-packages.ts';

/** What runs in processes and threads of its own, each a file beside the handler. */
const programs = ['script-worker', 'chart-child'] as const;
/** CommonJS, which Node starts sooner: whoever asks a query waits for it. What few queries need is a file of its own. */
const quickPrograms = ['sql-child', 'any-rows'] as const;

/** Where the package has them, in its root. */
export const programsFolder = 'engine-programs';

/** Packages with native code, which esbuild cannot take in. */
export const nativeModules = ['@duckdb/node-bindings', '@resvg/resvg-js'] as const;

/** Everything that has to stand in `node_modules` beside the programs: the packages and their code for a processor. */
export function enginePackages(processor: Processor): readonly string[] {
  return [
    ...nativeModules,
    `@duckdb/node-bindings-linux-${processor}`,
    // Lambda's image and most others are glibc.
    `@resvg/resvg-js-linux-${processor}-gnu`,
  ];
}

/** What the programs read beside them; paths are relative to the root. */
export const programFiles = [
  'node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm',
  'node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
  'node_modules/dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf',
] as const;

/** How they are built: one call of esbuild each. */
export function programOptions(folder: string): readonly BuildOptions[] {
  const common: BuildOptions = {
    ...bundleOptions,
    absWorkingDir: projectRoot,
    outdir: folder,
    sourcemap: false,
    external: [...nativeModules],
  };
  return [
    { ...common, entryPoints: programs.map((name) => sourceOf(`${name}.ts`)), outExtension: { '.js': '.mjs' } },
    {
      ...common,
      entryPoints: quickPrograms.map((name) => sourceOf(`${name}.ts`)),
      format: 'cjs',
      banner: {},
      outExtension: { '.js': '.cjs' },
      external: ['./any-rows.cjs'],
      alias: { '@duckdb/node-bindings': sourceOf('duckdb-native.cjs') },
    },
  ];
}

function sourceOf(file: string): string {
  return path.join(projectRoot, 'lambdas', 'analysis-engine', file);
}

/** Builds the engine's programs into `folder`, with the files that they read; native packages are not among them (`enginePackages`). */
export function buildEnginePrograms(folder: string): void {
  mkdirSync(folder, { recursive: true });
  // The package brings them.
  const prepared = path.join(projectRoot, programsFolder);
  if (existsSync(prepared)) {
    cpSync(prepared, folder, { recursive: true });
    return;
  }
  for (const options of programOptions(folder)) esbuild().buildSync(options);
  for (const file of programFiles) copyFileSync(path.join(projectRoot, file), path.join(folder, path.basename(file)));
}
