import { Worker } from 'node:worker_threads';
import type { EngineFailure } from '../../core/analysis/engine.ts';
import type { ScriptAnswer, ScriptWork } from './script-worker.ts';

/** What the worker may take beyond the time that the script was given, in milliseconds. */
const graceMs = 300;

/**
 * Runs a script in a thread of its own that is thrown away, whatever became of it. Asking it to stop does not always
 * help (docs/analysis.md), ending the thread always does.
 */
export async function runScript(
  program: string,
  work: Omit<ScriptWork, 'softDeadlineMs'>,
  deadlineMs: number,
): Promise<Pick<Extract<ScriptAnswer, { ok: true }>, 'text' | 'items'> | EngineFailure> {
  const worker = new Worker(program, {
    workerData: { ...work, softDeadlineMs: deadlineMs } satisfies ScriptWork,
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  let timer: NodeJS.Timeout | undefined;
  try {
    const answer = await new Promise<ScriptAnswer | 'deadline' | 'died'>((resolve) => {
      timer = setTimeout(() => resolve('deadline'), deadlineMs + graceMs);
      worker.once('message', (message: ScriptAnswer) => resolve(message));
      worker.once('error', () => resolve('died'));
      worker.once('exit', () => resolve('died'));
    });
    if (answer === 'deadline') return limit(`script: it was ended after ${deadlineMs} ms; do less per record`);
    if (answer === 'died') return limit('script: it needed more memory than there is; keep less of the rows');
    if (answer.ok) return answer;
    if (answer.limit === null) return { outcome: 'error', code: 'AnalysisFailed', message: answer.message };
    const hint = { time: `; ${deadlineMs} ms is the limit`, memory: '; keep less of the rows', output: '' }[
      answer.limit
    ];
    return limit(answer.message + hint);
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

function limit(message: string): EngineFailure {
  return { outcome: 'error', code: 'AnalysisLimit', message };
}
