import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod/mini';
import { powertoolsTelemetry } from '../../aws/powertools-telemetry.ts';
import { parseChart } from '../../core/analysis/chart-spec.ts';
import type { EngineAnswer, EngineJob } from '../../core/analysis/engine.ts';
import { readInput } from '../../core/input/read-input.ts';
import { fault, nameOf } from '../fault.ts';
import { runJob } from './run-job.ts';

const whole = z.int().check(z.minimum(0));

const hexId = z.string().check(z.regex(/^[0-9a-f]{32}$/));

const knownType = z.enum(['integer', 'signed', 'number', 'boolean', 'string']);

const upload = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string().check(z.regex(/^[a-z-]+$/)), z.string()),
  maxBytes: whole,
});

/** Comes from the broker alone, and is checked like any other event. */
const event = z.strictObject({
  inputs: z
    .array(
      z.strictObject({
        name: z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/)),
        url: z.url({ protocol: /^https?$/ }),
        bytes: whole,
        sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
        digests: z._default(z.nullable(z.string().check(z.regex(/^[A-Za-z0-9+/]*={0,2}$/))), null),
        kind: z.enum(['json', 'ndjson', 'csv', 'tsv', 'text']),
        path: z.nullable(z.string()),
        table: z.nullable(
          z.strictObject({
            header: z.array(z.string()),
            delimiter: z.string().check(z.length(1)),
            dataOffset: whole,
          }),
        ),
        recordStart: z.nullable(whole),
        types: z._default(z.nullable(z.record(z.string(), knownType)), null),
      }),
    )
    .check(z.minLength(1), z.maxLength(8)),
  program: z.strictObject({ kind: z.enum(['sql', 'script']), text: z.string().check(z.minLength(1)) }),
  chart: z.unknown(),
  limits: z.strictObject({
    deadlineMs: z.int().check(z.minimum(100), z.maximum(60_000)),
    maxOutputBytes: z.int().check(z.minimum(100), z.maximum(4 * 1024 * 1024)),
  }),
  uploads: z._default(
    z.nullable(
      z.strictObject({ answer: z.nullable(upload), picture: z.nullable(upload), drawing: z.nullable(upload) }),
    ),
    null,
  ),
  call: z._default(
    z.nullable(
      z.strictObject({
        runId: hexId,
        session: hexId,
        turn: whole,
        index: whole,
        toolUseId: z.optional(z.string().check(z.maxLength(256))),
      }),
    ),
    null,
  ),
});

/** Of Lambda's memory; locally there is no such variable. */
const memoryMiB = Number(process.env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] ?? 2048);

const host = {
  programs: import.meta.dirname,
  scratch: path.join(tmpdir(), `claimcheck-analysis-${process.pid}`),
  memoryMiB: Number.isFinite(memoryMiB) && memoryMiB >= 512 ? memoryMiB : 2048,
  threads: Math.max(1, Math.min(availableParallelism(), 4)),
};

/**
 * Runs one program over inputs whose addresses come with the event (DESIGN 7.10). This function's role can read no data,
 * and its environment holds no secret; engines are loaded by the processes that need them.
 */
export async function handler(received: unknown): Promise<EngineAnswer> {
  const telemetry = powertoolsTelemetry('analysis-engine', {});
  try {
    const parsed = readInput(event, received, 'event');
    if (!parsed.success) throw parsed.error;
    // Ids are for these lines: what runs the program does not get them.
    const { chart, call, ...rest } = parsed.data;
    if (call !== null) telemetry.add(call);
    const job: EngineJob = { ...rest, chart: chart === null || chart === undefined ? null : parseChart(chart) };
    const started = Date.now();
    const answer = await runJob(job, host);
    telemetry.decision('analysis_run', {
      program: job.program.kind,
      inputs: job.inputs.length,
      bytes: job.inputs.reduce((sum, input) => sum + input.bytes, 0),
      outcome: answer.outcome === 'error' ? answer.code : answer.outcome,
      chart: job.chart !== null,
      uploadedBytes: answer.outcome === 'error' ? 0 : (answer.uploaded?.bytes ?? 0),
      milliseconds: Date.now() - started,
    });
    return answer;
  } catch (error) {
    telemetry.decision('fault', { error: nameOf(error) });
    throw fault(error, nameOf(error));
  } finally {
    telemetry.flush();
  }
}
