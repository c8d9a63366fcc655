import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

/** The console's files, as `lambdas/web` serves them. */
export const consoleFiles = ['index.html', 'app.js', 'app.css'] as const;

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
  const here = import.meta.dirname;
  buildSync({ ...options, entryPoints: [path.join(here, 'app.ts')], outfile: path.join(folder, 'app.js') });
  buildSync({ ...options, entryPoints: [path.join(here, 'app.css')], outfile: path.join(folder, 'app.css') });
  copyFileSync(path.join(here, 'index.html'), path.join(folder, 'index.html'));
}
