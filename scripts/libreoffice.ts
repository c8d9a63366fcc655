import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from '../local/command.ts';

/** Path of LibreOffice's `soffice`: `CLAIMCHECK_SOFFICE` when set, else the first one on `PATH`. */
export function findLibreOffice(): string | undefined {
  const named = process.env['CLAIMCHECK_SOFFICE'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'soffice')).find(isExecutable);
}

/**
 * Installs Debian's LibreOffice Calc where none is found and we may: as root, with `apt-get`. Answers what is there
 * afterwards; the test that opens files in it fails with its own message when nothing is.
 */
export async function ensureLibreOffice(say: (line: string) => void): Promise<string | undefined> {
  const found = findLibreOffice();
  if (found !== undefined || process.getuid?.() !== 0) return found;
  say('no LibreOffice found: installing it with apt-get');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runCommand('apt-get', ['update', '--quiet'], { env });
  const { code, output } = await runCommand(
    'apt-get',
    ['install', '--yes', '--quiet', '--no-install-recommends', 'libreoffice-calc-nogui'],
    { env },
  );
  if (code !== 0) say(`apt-get could not install LibreOffice:\n${output.split('\n').slice(-5).join('\n')}`);
  return findLibreOffice();
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
