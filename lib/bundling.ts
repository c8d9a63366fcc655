import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { BuildOptions } from 'esbuild';
import type { BundleSource } from './bundle-source.ts';
import { esbuild } from './esbuild.ts';
import { leftOut } from './left-out.ts';
import { writePrepared } from './prepared-bundles.ts';

/** The project's root: entry paths are relative to it. */
export const projectRoot = path.resolve(import.meta.dirname, '..');

/** Compiled in the package, as this file is. */
const leftOutFile = path.join(import.meta.dirname, `left-out${path.extname(import.meta.filename)}`);

/**
 * The one set of esbuild options for every function, used by the stacks and by the bundle tests. The SDK is bundled:
 * the version that was tested is the one that runs. Target node20, so that tests on Node 20 can import the bundles.
 */
export const bundleOptions: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  alias: Object.fromEntries(leftOut.map((name) => [name, leftOutFile])),
  logLevel: 'warning',
  loader: { '.wasm': 'binary', '.md': 'text', '.html': 'text', '.css': 'text', '.svg': 'text' },
  // CommonJS packages inside an ES module still call require.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
};

/** How `<folder>/index.mjs` is built. */
export function handlerOptions(source: BundleSource, folder: string): BuildOptions & { readonly outdir: string } {
  return {
    ...bundleOptions,
    absWorkingDir: projectRoot,
    entryPoints: [{ in: path.resolve(projectRoot, source.entry), out: 'index' }],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    // What is imported on demand (the tracer) is a file of its own: a cold start does not read it.
    splitting: true,
    chunkNames: '[name]-[hash]',
    external: [...(source.packages ?? [])],
  };
}

/** Builds `<folder>/index.mjs` with its source map, and puts the extra files beside it. */
export function buildBundle(source: BundleSource, folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (!writePrepared(projectRoot, source.entry, folder, source.definitions ?? [])) {
    esbuild().buildSync(handlerOptions(source, folder));
  }
  for (const file of source.files ?? []) {
    copyFileSync(path.resolve(projectRoot, file), path.join(folder, path.basename(file)));
  }
  source.build?.(folder);
  for (const name of source.packages ?? []) {
    cpSync(path.join(projectRoot, 'node_modules', name), path.join(folder, 'node_modules', name), { recursive: true });
  }
}

/**
 * The bundle as a function's code. esbuild runs inside this process: a tenth of a second a function, where a child
 * process for each takes about one (docs/decisions/bundles-in-process.md). Context `aws:cdk:bundling-stacks` skips it.
 */
export function bundledCode(source: BundleSource): Code {
  return Code.fromAsset(projectRoot, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('unused'),
      // Not run; the CDK tells assets of one folder apart by it.
      command: [
        source.entry,
        ...(source.files ?? []),
        ...(source.packages ?? []),
        JSON.stringify(source.definitions ?? []),
      ],
      local: {
        tryBundle(folder: string) {
          buildBundle(source, folder);
          return true;
        },
      },
    },
  });
}
