import { type SpawnOptions, spawn } from 'node:child_process';

/** What a command said and how it ended. */
export interface CommandEnd {
  readonly code: number;
  readonly output: string;
}

/**
 * Runs a command to its end, in a process group of its own. `output` is stdout and stderr as they came; each line
 * goes to `onLine` as it appears. A missing program ends with code 127; an abort ends the whole group.
 */
export function runCommand(
  program: string,
  args: readonly string[],
  options: SpawnOptions & { readonly onLine?: (line: string) => void; readonly abort?: AbortSignal } = {},
): Promise<CommandEnd> {
  const { onLine, abort, ...spawnOptions } = options;
  return new Promise((resolve) => {
    const child = spawn(program, [...args], { ...spawnOptions, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    let rest = '';
    const take = (data: Buffer) => {
      const text = data.toString('utf8');
      output += text;
      if (onLine === undefined) return;
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    };
    const stop = () => endGroup(child.pid, 'SIGTERM');
    abort?.addEventListener('abort', stop, { once: true });
    if (abort?.aborted) stop();
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.once('close', (code, signal) => {
      abort?.removeEventListener('abort', stop);
      if (rest !== '') onLine?.(rest);
      resolve({ code: code ?? (signal === null ? 1 : 128), output });
    });
  });
}

/** Signals a process and all that it started; one that is gone already is no error. */
export function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Not `instanceof Error`: test runners have a realm of their own.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Does a process with this id run? */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
