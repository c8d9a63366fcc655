import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from '../local/command.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Path of an installed Chromium or Chrome: `CLAIMCHECK_CHROMIUM` when set, else the first one on `PATH`. */
export function findChromium(): string | undefined {
  const named = process.env['CLAIMCHECK_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

/**
 * Installs Debian's Chromium where none is found and we may: as root, with `apt-get`. Answers what is there afterwards;
 * tests that need a browser fail with their own message when nothing is.
 */
export async function ensureChromium(say: (line: string) => void): Promise<string | undefined> {
  const found = findChromium();
  if (found !== undefined || process.getuid?.() !== 0) return found;
  say('no Chromium found: installing it with apt-get');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runCommand('apt-get', ['update', '--quiet'], { env });
  const { code, output } = await runCommand(
    'apt-get',
    ['install', '--yes', '--quiet', '--no-install-recommends', 'chromium'],
    { env },
  );
  if (code !== 0) say(`apt-get could not install chromium:\n${output.split('\n').slice(-5).join('\n')}`);
  return findChromium();
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
