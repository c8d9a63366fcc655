import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';

/** Where a virtual environment's programs are. */
export interface PythonEnvironment {
  readonly python: string;
  readonly bin: string;
}

/**
 * A virtual environment that holds exactly what `requirements` names, made when it is missing or when that file has
 * changed. Answers `undefined` where no Python of the minimal version is installed; throws when the installation fails.
 */
export async function pythonEnvironment(
  path: string,
  requirements: string,
  say: (line: string) => void,
): Promise<PythonEnvironment | undefined> {
  const environment = { python: join(path, 'bin', 'python'), bin: join(path, 'bin') };
  const stamp = join(path, 'requirements.sha256');
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && (await runs(environment.python))) {
    return environment;
  }
  const python = await findPython();
  if (python === undefined) return undefined;
  say(`making the Python environment ${path}`);
  rmSync(path, { recursive: true, force: true });
  await mustRun(
    python,
    ['-m', 'venv', path],
    'the virtual environment could not be made (Debian: install python3-venv)',
  );
  await mustRun(
    environment.python,
    ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements],
    'the packages could not be installed',
  );
  writeFileSync(stamp, wanted);
  return environment;
}

/** The first interpreter that is at least Python 3.11, which the emulator's packages need. */
async function findPython(): Promise<string | undefined> {
  for (const name of ['python3', 'python3.13', 'python3.12', 'python3.11', 'python']) {
    const { code } = await runCommand(name, ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']);
    if (code === 0) return name;
  }
  return undefined;
}

async function runs(python: string): Promise<boolean> {
  return (await runCommand(python, ['-c', 'pass'])).code === 0;
}

async function mustRun(program: string, args: readonly string[], problem: string): Promise<void> {
  const { code, output } = await runCommand(program, args);
  if (code !== 0) throw new Error(`${problem}:\n${output.trim()}`);
}
