import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

const lineFeed = 0x0a;

export interface ProcessLimits {
  /** Of virtual memory, in KiB: what the operating system refuses to exceed. */
  readonly addressSpaceKiB: number;
  readonly cpuSeconds: number;
  /** Of JavaScript's own heap, in MiB. */
  readonly heapMiB: number;
  readonly deadlineMs: number;
  readonly maxAnswerBytes: number;
}

export type ProcessEnd =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'deadline' }
  | { readonly kind: 'oversize' }
  | { readonly kind: 'died'; readonly how: string };

export interface LimitedProcess {
  /** Hands it a part of its work ahead of time. */
  send(part: string): void;
  /** Hands it the rest of its work; from here on its time runs. Once. `answered`: told its whole answer before it is gone. */
  run(work: string, answered?: (text: string) => void): Promise<ProcessEnd>;
  /** Ends it, whether or not it was given anything to do. */
  end(): void;
}

/**
 * One program in a process group of its own, under limits of the operating system: address space, processor time, no
 * core, no file written. It has an empty environment, gets its work on standard input and answers on descriptor 3; what
 * it prints is thrown away; `rows` gets its descriptor 4. At the deadline the whole group is killed, and `run` waits until it is gone. Started ahead,
 * it loads its engine while its data is still on the way.
 */
export function startLimited(
  program: string,
  limits: ProcessLimits,
  arguments_: readonly string[] = [],
  rows?: (rows: Readable) => void,
): LimitedProcess {
  const shell =
    `ulimit -v ${limits.addressSpaceKiB}; ulimit -t ${limits.cpuSeconds}; ulimit -c 0; ulimit -f 0; ` +
    `exec "$0" --max-old-space-size=${limits.heapMiB} --no-warnings "$@"`;
  const child = spawn('sh', ['-c', shell, process.execPath, program, ...arguments_], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', 'pipe', rows === undefined ? 'ignore' : 'pipe'],
  });
  rows?.(child.stdio[4] as Readable);
  const killGroup = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group is gone already.
    }
  };
  let early: 'deadline' | 'oversize' | undefined;
  const pieces: Buffer[] = [];
  let bytes = 0;
  let whole = false;
  let answered: ((text: string) => void) | undefined;
  const answers = child.stdio[3] as Readable;
  answers.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= limits.maxAnswerBytes) {
      pieces.push(piece);
      whole = piece.at(-1) === lineFeed;
    } else early ??= 'oversize';
    // It has nothing left to say: what its end would take is not waited for.
    if (whole || early !== undefined) killGroup();
    if (whole) answered?.(Buffer.concat(pieces).toString('utf8'));
  });
  // A child that dies before it has read everything breaks the pipe; how it ended is told below.
  child.stdin?.on('error', () => {});
  answers.on('error', () => {});
  const ended = new Promise<string | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code === 0 ? null : (signal ?? `exit ${code}`)));
  });
  // Ended before it had work, nobody waits for it.
  ended.catch(() => {});
  return {
    send: (part) => {
      child.stdin?.write(part);
    },
    run: async (work, told) => {
      answered = told;
      const timer = setTimeout(() => {
        early ??= 'deadline';
        killGroup();
      }, limits.deadlineMs);
      child.stdin?.end(work);
      try {
        const how = await ended;
        if (early !== undefined) return { kind: early };
        if (how !== null && !whole) return { kind: 'died', how };
        return { kind: 'answered', text: Buffer.concat(pieces).toString('utf8') };
      } finally {
        clearTimeout(timer);
        // Whatever it may have left behind belongs to its group.
        killGroup();
      }
    },
    end: killGroup,
  };
}

/** A program that is started only when its work is there (`startLimited`). */
export function runLimited(program: string, work: string, limits: ProcessLimits): Promise<ProcessEnd> {
  return startLimited(program, limits).run(work);
}
