import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { localFolder } from '../../local/folder.ts';
import { readMemory } from '../../local/memory.ts';

interface Worker {
  readonly pid: number;
  /** Bytes held now. */
  readonly resident: number;
}

/** The processes that run a function in the emulator of this folder; those of other platforms here are not among them. */
export function workers(functionName: string, platformFolder: string): readonly Worker[] {
  const emulator = readMemory(localFolder(platformFolder))?.emulatorPid;
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,rss=,command='], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.includes(`ministack-lambda-${functionName}-`))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent]) => Number(parent) === emulator)
    .map(([pid, , kibibytes]) => ({ pid: Number(pid), resident: Number(kibibytes) * 1024 }));
}

/**
 * Largest resident memory so far, in bytes, of the processes that run a function: what Linux keeps as the peak;
 * elsewhere what the process holds now. Throws when no such process runs.
 */
export function workerMemory(functionName: string, platformFolder: string): number {
  const sizes = workers(functionName, platformFolder).map(({ pid, resident }) => {
    const status = `/proc/${pid}/status`;
    const peak = existsSync(status) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1] : undefined;
    return peak === undefined ? resident : Number(peak) * 1024;
  });
  if (sizes.length === 0) throw new Error(`no process runs ${functionName}`);
  return Math.max(...sizes);
}
