import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { buildConsole, preparedConsole } from '../../console/build.ts';
import { handlerOptions, projectRoot } from '../../lib/bundling.ts';
import { programFiles, programOptions } from '../../lib/engine-programs.ts';
import { type BundleFiles, definitionsFile, packBundles } from '../../lib/prepared-bundles.ts';

/**
 * Every function's bundle and the console, as one archive: what a CDK app elsewhere deploys as it is. `inputs`: the
 * files that these and the engine's programs are made from, relative to the root.
 */
export async function preparedBundles(): Promise<{ readonly archive: Uint8Array; readonly inputs: readonly string[] }> {
  const work = mkdtempSync(join(tmpdir(), 'claimcheck-bundles-'));
  try {
    const bundles: Record<string, BundleFiles> = {};
    const inputs = new Set<string>();
    for (const entry of entries()) {
      const folder = join(work, entry.replaceAll('/', '+'));
      const { metafile } = await build({
        ...handlerOptions({ entry }, folder),
        plugins: [openCatalogue],
        metafile: true,
      });
      for (const input of Object.keys(metafile.inputs)) inputs.add(input);
      bundles[entry] = filesOf(folder);
    }
    const folder = join(work, preparedConsole);
    buildConsole(folder);
    bundles[preparedConsole] = filesOf(folder);
    for (const options of programOptions(join(work, 'programs'))) {
      const { metafile } = await build({ ...options, write: false, metafile: true });
      for (const input of Object.keys(metafile.inputs)) inputs.add(input);
    }
    for (const input of programFiles) inputs.add(input);
    return { archive: packBundles(bundles), inputs: [...inputs].sort() };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function entries(): readonly string[] {
  const folders = readdirSync(join(projectRoot, 'lambdas'), { withFileTypes: true });
  const handlers = folders
    .filter((each) => each.isDirectory())
    .map(({ name }) => `lambdas/${name}/handler.ts`)
    .filter((entry) => existsSync(join(projectRoot, entry)));
  return [...handlers, 'lambdas/analyze-result/with-python.ts'];
}

/** The tools that a function knows are the deploying app's: they come from a file beside the bundle. */
const openCatalogue: Plugin = {
  name: 'open-catalogue',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\/tools\/catalogue\.ts$/ }, () => ({ path: 'catalogue', namespace: 'open-catalogue' }));
    onLoad({ filter: /.*/, namespace: 'open-catalogue' }, () => ({
      contents: `import { toolCatalogue } from './core/tool/tool-definition.ts';
import { definitions } from './${definitionsFile}';
export const tools = toolCatalogue(definitions);`,
      loader: 'ts',
      resolveDir: projectRoot,
    }));
    onResolve({ filter: new RegExp(`^\\./${definitionsFile}$`) }, ({ path }) => ({ path, external: true }));
  },
};

function filesOf(folder: string): BundleFiles {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name))]));
}
