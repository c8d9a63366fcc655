import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * Largest resident memory so far, in bytes, of the processes that run a function in the emulator: what Linux keeps as
 * the peak; elsewhere what the process holds now. Throws when no such process runs.
 */
export function workerMemory(functionName: string): number {
  const lines = execFileSync('ps', ['-axo', 'pid=,rss=,command='], { encoding: 'utf8' }).split('\n');
  const sizes = lines
    .filter((line) => line.includes(`ministack-lambda-${functionName}-`))
    .map((line) => {
      const [pid = '', rss = '0'] = line.trim().split(/\s+/);
      const status = `/proc/${pid}/status`;
      const peak = existsSync(status) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1] : undefined;
      return Number(peak ?? rss) * 1024;
    });
  if (sizes.length === 0) throw new Error(`no process runs ${functionName}`);
  return Math.max(...sizes);
}
