import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { BuildOptions } from 'esbuild';
import { projectRoot } from '../lib/bundling.ts';
import { esbuild } from '../lib/esbuild.ts';
import { writePrepared } from '../lib/prepared-bundles.ts';

/** The console's files, as `lambdas/web` serves them. */
export const consoleFiles = ['index.html', 'app.js', 'app.css'] as const;

/** What the package brings it as. */
export const preparedConsole = 'console';

const options: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome111', 'firefox111', 'safari16.4'],
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** Writes the console into `folder`: one page, one script, one style sheet, nothing from elsewhere. */
export function buildConsole(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (writePrepared(projectRoot, preparedConsole, folder, [])) return;
  const { buildSync } = esbuild();
  const here = import.meta.dirname;
  buildSync({ ...options, entryPoints: [path.join(here, 'app.ts')], outfile: path.join(folder, 'app.js') });
  buildSync({ ...options, entryPoints: [path.join(here, 'app.css')], outfile: path.join(folder, 'app.css') });
  copyFileSync(path.join(here, 'index.html'), path.join(folder, 'index.html'));
}
