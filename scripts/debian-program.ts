import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from '../local/command.ts';

/** A program that tests drive and that comes from Debian's packages. */
export interface DebianProgram {
  /** What people call it. */
  readonly title: string;
  /** Environment variable that names another path. */
  readonly variable: string;
  /** File names looked for on `PATH`, first match wins. */
  readonly files: readonly string[];
  readonly debianPackage: string;
}

/** Path of the program: its variable when set, else the first of its files on `PATH`. */
export function findProgram({ variable, files }: DebianProgram): string | undefined {
  const named = process.env[variable];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => files.map((file) => join(folder, file))).find(isExecutable);
}

/**
 * Installs the program where none is found and we may: as root, with `apt-get`. Answers what is there afterwards; tests
 * that need it fail with their own message when nothing is.
 */
export async function ensureProgram(program: DebianProgram, say: (line: string) => void): Promise<string | undefined> {
  const found = findProgram(program);
  if (found !== undefined || process.getuid?.() !== 0) return found;
  say(`no ${program.title} found: installing it with apt-get`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runCommand('apt-get', ['update', '--quiet'], { env });
  const { code, output } = await runCommand(
    'apt-get',
    ['install', '--yes', '--quiet', '--no-install-recommends', program.debianPackage],
    { env },
  );
  if (code !== 0) say(`apt-get could not install ${program.title}:\n${output.split('\n').slice(-5).join('\n')}`);
  return findProgram(program);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
