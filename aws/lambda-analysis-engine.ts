import * as z from 'zod/mini';
import type { AnalysisEngine, EngineAnswer } from '../core/analysis/engine.ts';
import { ClaimcheckError } from '../core/errors.ts';
import { ToolInvocationError, type ToolInvoker } from '../core/tool/tool-invoker.ts';

const column = z.object({ name: z.string(), type: z.string() });
const uploaded = z.object({ bytes: z.int().check(z.minimum(0)), sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)) });
const output = z.union([z.string(), uploaded]);
const base = {
  inputs: z.array(z.object({ name: z.string(), records: z.int(), bytes: z.int(), columns: z.array(column) })),
  chart: z.nullable(z.object({ svg: output, png: output, marks: z.int(), altText: z.string() })),
  uploaded: z._default(z.nullable(uploaded), null),
};

/** What comes out of the sandbox is checked like what comes from outside: it is. */
const answer = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('table'),
    columns: z.array(column),
    rows: z.array(z.array(z.string())),
    rowCount: z.int(),
    ...base,
  }),
  z.object({
    outcome: z.literal('value'),
    text: z.string(),
    cut: z._default(z.nullable(z.object({ bytes: z.int(), items: z.nullable(z.int()) })), null),
    ...base,
  }),
  z.object({
    outcome: z.literal('error'),
    code: z.enum(['AnalysisFailed', 'AnalysisLimit', 'StorageUnavailable']),
    message: z.string(),
  }),
]);

/**
 * The engine as a function of its own. It is asked once: a query that ended the engine would end it again. What the
 * service says about a failure stays in the log.
 */
export function lambdaAnalysisEngine(invoker: ToolInvoker, functionName: string, timeoutMs: number): AnalysisEngine {
  return {
    run: async (job) => {
      let payload: unknown;
      try {
        payload = await invoker.invoke(functionName, job, timeoutMs);
      } catch (error) {
        if (!(error instanceof ToolInvocationError)) throw error;
        throw failure(error);
      }
      const parsed = answer.safeParse(payload);
      if (!parsed.success) throw new ClaimcheckError('AnalysisFailed', 'analysis: the engine answered nothing usable');
      return parsed.data satisfies EngineAnswer;
    },
  };
}

function failure(error: ToolInvocationError): ClaimcheckError {
  const { kind } = error;
  if (kind === 'timeout') {
    return new ClaimcheckError('AnalysisLimit', 'analysis: it took too long; ask for less', {}, { cause: error });
  }
  if (kind === 'oversize') {
    return new ClaimcheckError(
      'AnalysisLimit',
      'analysis: the answer is more than can be handed over',
      {},
      { cause: error },
    );
  }
  if (kind === 'throttled' || kind === 'connection' || kind === 'service') {
    return new ClaimcheckError(
      'ToolUnavailable',
      'analysis: the engine cannot be reached right now',
      {},
      { cause: error },
    );
  }
  return new ClaimcheckError('AnalysisLimit', 'analysis: it ended the engine; ask for less', {}, { cause: error });
}
