import type { FailureKind, InvocationFailure } from '../retry/classify.ts';

/** Executes a function once and answers its payload as parsed JSON; repeats nothing by itself (DESIGN 9). */
export interface ToolInvoker {
  /** Throws `ToolInvocationError` when there is no answer. */
  invoke(functionName: string, payload: unknown, timeoutMs: number): Promise<unknown>;
}

/** One execution ended without an answer. */
export class ToolInvocationError extends Error {
  override readonly name = 'ToolInvocationError';
  readonly kind: FailureKind;
  readonly failure: InvocationFailure;

  constructor(kind: FailureKind, failure: InvocationFailure, options?: { cause?: unknown }) {
    super(`${failure.name}: ${failure.message}`, options);
    this.kind = kind;
    this.failure = failure;
  }
}
