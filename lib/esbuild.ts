import { createRequire } from 'node:module';

/**
 * The bundler, loaded when something is really bundled: the package brings the platform's own functions ready, so that
 * an app without tools of its own needs none. Throws an error that names what to install.
 */
export function esbuild(): typeof import('esbuild') {
  try {
    return createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  } catch (cause) {
    throw new Error('esbuild: expected it to be installed, since functions are bundled here (npm i -D esbuild)', {
      cause,
    });
  }
}
