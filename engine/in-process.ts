import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnalysisPorts } from '../core/analysis/analyze-result.ts';
import type { EngineJob } from '../core/analysis/engine.ts';
import type { ResultStore } from '../core/store/result-store.ts';
import { WaitingLine } from '../core/wrap/waiting-line.ts';
import { runJob } from '../lambdas/analysis-engine/run-job.ts';
import { folderStaging } from './folder-staging.ts';
import { enginePrograms } from './programs.ts';
import { storeReader, storeUrl } from './store-reader.ts';

export interface InProcessEngineOptions {
  /** The same store that `References` keeps results in. */
  readonly store: ResultStore;
  /** Memory that one analysis may take, in MiB. Default 2048. */
  readonly memoryMiB?: number;
  /** Analyses at once; the others wait. Default 1. */
  readonly parallel?: number;
  /** From the first byte of the program to its end, in milliseconds. Default 30,000. */
  readonly deadlineMs?: number;
}

/** Rows or a value, as JSON text, that are handed over in memory; more is left in a file, in bytes. */
const maxOutputBytes = 2 * 1024 * 1024;
/** Longest wait while no analysis comes to an end, in milliseconds. */
const waitMs = 120_000;
const scratchPrefix = 'claimcheck-analysis-';

/**
 * The engine of `analyze_result` inside this process's machine, for `References`' setting `analysis`: the same programs
 * as the deployed function's, in processes of their own under limits of the operating system, without environment,
 * over copies in a scratch folder. They are not in a network of their own: a machine that must not be reached at all
 * from there needs a function or a container. Throws when it is not Linux, or when native packages are missing (named).
 */
export async function inProcessEngine(
  options: InProcessEngineOptions,
): Promise<Pick<AnalysisPorts, 'engine' | 'signedUrl' | 'limits' | 'staging'>> {
  if (process.platform !== 'linux') {
    throw new Error(`analysis: expected Linux, whose limits hold the engine's processes, found ${process.platform}`);
  }
  const programs = await enginePrograms();
  await removeLeftScratch();
  const { memoryMiB = 2048, parallel = 1, deadlineMs = 30_000, store } = options;
  const line = new WaitingLine(parallel, waitMs);
  const threads = Math.max(1, Math.min(availableParallelism(), 4));
  const read = storeReader(store);
  const staged = await mkdtemp(join(tmpdir(), `${scratchPrefix}${process.pid}-staged-`));
  process.once('exit', () => rmSync(staged, { recursive: true, force: true }));
  const { staging, upload } = folderStaging(staged);
  const run = async (job: EngineJob) => {
    if (!(await line.enter())) {
      const message = 'analysis: the engine is busy with others; try again later';
      return { outcome: 'error', code: 'AnalysisLimit', message } as const;
    }
    // Readable by this user alone, and of one job: jobs side by side empty none of each other's.
    const scratch = await mkdtemp(join(tmpdir(), `${scratchPrefix}${process.pid}-`));
    try {
      return await runJob(job, { programs, scratch, memoryMiB, threads, read, upload });
    } finally {
      line.leave(true);
      await rm(scratch, { recursive: true, force: true });
    }
  };
  const limits = { deadlineMs, maxOutputBytes };
  return { engine: { run }, signedUrl: async (address) => storeUrl(address), limits, staging };
}

/** Folders of processes that ended in the middle of a job. */
async function removeLeftScratch(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(name.startsWith(scratchPrefix) ? name.slice(scratchPrefix.length).split('-')[0] : Number.NaN);
    if (!Number.isInteger(pid) || pid <= 0 || isAlive(pid)) continue;
    // Another user's is that user's to remove.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
