import type { ToolResult, ToolUseBlock } from '../content/block.ts';
import type { ErrorCode } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { backoffMs } from '../retry/backoff.ts';
import { type FailureKind, isRetryable } from '../retry/classify.ts';
import type { Attempts } from '../run/outcomes.ts';
import type { Run } from '../run/run.ts';
import type { Settings } from '../settings.ts';
import type { Kept } from '../store/keeping.ts';
import type { Clock, Telemetry } from '../telemetry/telemetry.ts';
import { parseToolAnswer } from '../tool/tool-answer.ts';
import type { ToolDefinition, ToolEvent } from '../tool/tool-definition.ts';
import { ToolInvocationError, type ToolInvoker } from '../tool/tool-invoker.ts';
import { keptFields } from '../tool/view.ts';

export interface ToolCall {
  readonly run: Run;
  readonly turn: number;
  readonly index: number;
  readonly toolUse: ToolUseBlock['toolUse'];
  /** Digest of tool and arguments. */
  readonly digest: string;
}

export interface ExecutePorts {
  readonly attempts: Attempts;
  readonly invoker: ToolInvoker;
  readonly functions: Readonly<Record<string, string>>;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Milliseconds until this invocation of ours is stopped. */
  readonly timeLeftMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
}

export type Executed =
  | {
      readonly kind: 'answered';
      readonly result: ToolResult;
      readonly reported: unknown;
      readonly delivered: JsonValue | undefined;
      readonly resultId: string;
      readonly availableUntil: string;
    }
  /** Nothing was executed: an earlier attempt had stored its result. */
  | { readonly kind: 'recalled'; readonly kept: Kept }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly oversize: boolean };

/** Milliseconds kept free after a tool's answer to store it and write the outcome. */
const afterwardsMs = 5_000;

/**
 * Executes a tool at most `retry.maxAttempts` times, whatever the layer: every attempt is claimed in the run before it
 * starts, so a repeat of this very function counts on where the last one stopped. A tool marked `once` is executed
 * once, and what became of an execution whose answer was lost is said to be unknown. `recall` looks for what an attempt
 * before has stored: with that, nothing is executed again.
 */
export async function executeTool(
  call: ToolCall,
  tool: ToolDefinition,
  input: JsonObject,
  ports: ExecutePorts,
  recall: (resultId: string) => Promise<Kept | undefined> = async () => undefined,
): Promise<Executed> {
  const maxAttempts = tool.retry === 'once' ? 1 : ports.settings.retry.maxAttempts;
  let last: ToolInvocationError | undefined;
  for (;;) {
    const { attempt, resultId, earlierIds } = await ports.attempts.claim(call.run.runId, call.turn, call.index);
    for (const id of earlierIds) {
      const kept = await recall(id);
      if (kept === undefined) continue;
      noteUnexecuted(call, tool, { attempt, reason: 'stored_before' }, ports.telemetry);
      return { kind: 'recalled', kept };
    }
    if (attempt > maxAttempts) {
      noteUnexecuted(call, tool, { attempt, reason: 'attempts_used' }, ports.telemetry);
      return exhausted(call, tool, last, maxAttempts);
    }
    const availableUntil = retentionEnd(ports);
    const timeoutMs = Math.min(tool.timeoutMs, ports.timeLeftMs() - afterwardsMs);
    if (timeoutMs <= 0) {
      noteUnexecuted(call, tool, { attempt, reason: 'no_time' }, ports.telemetry);
      return failed('ToolUnavailable', `${tool.name} could not be executed in time`);
    }
    try {
      const payload = await ports.invoker.invoke(
        ports.functions[tool.name] as string,
        eventFor(call, tool, input, { resultId, availableUntil, timeoutMs }, ports.clock),
        timeoutMs,
      );
      const answer = parseToolAnswer(payload);
      if (answer.kind === 'malformed') return failed('ToolFailed', answer.reason);
      const { result, stored, delivered } = answer;
      return { kind: 'answered', result, reported: stored, delivered, resultId, availableUntil };
    } catch (error) {
      if (!(error instanceof ToolInvocationError)) throw error;
      last = error;
      const worthIt = isRetryable(error.kind) && attempt < maxAttempts;
      const pause = worthIt ? backoffMs(attempt, ports.settings.retry, ports.random) : 0;
      // A pause that this invocation has no time for is not made, and no line says that it was.
      const again = worthIt && pause + afterwardsMs < ports.timeLeftMs();
      ports.telemetry.count('ToolRetry', again ? 1 : 0, { tool: tool.name, reason: error.kind });
      ports.telemetry.decision('tool_failed', {
        runId: call.run.runId,
        tool: tool.name,
        toolUseId: call.toolUse.toolUseId,
        attempt,
        reason: error.kind,
        retried: again,
      });
      if (!again) return failure(call, tool, error, attempt);
      await ports.sleep(pause);
    }
  }
}

/** An attempt that was claimed and in which nothing is executed. */
function noteUnexecuted(
  { run, toolUse }: ToolCall,
  tool: ToolDefinition,
  { attempt, reason }: { readonly attempt: number; readonly reason: string },
  telemetry: Telemetry,
): void {
  telemetry.count('ToolRetry', 0, { tool: tool.name, reason });
  telemetry.decision('tool_not_executed', {
    runId: run.runId,
    tool: tool.name,
    toolUseId: toolUse.toolUseId,
    attempt,
    reason,
  });
}

/** The platform's own tools get the run beside the input; the gate has refused inputs that name a platform's word. */
function eventFor(
  { run, turn, index, toolUse }: ToolCall,
  tool: ToolDefinition,
  input: JsonObject,
  claimed: { readonly resultId: string; readonly availableUntil: string; readonly timeoutMs: number },
  clock: Clock,
): unknown {
  if (tool.builtin === true) return { ...input, runId: run.runId, turn, index, toolUseId: toolUse.toolUseId };
  const event: ToolEvent = {
    input,
    context: {
      runId: run.runId,
      turn,
      index,
      toolUseId: toolUse.toolUseId,
      tool: tool.name,
      owner: run.owner,
      session: run.session,
      roles: run.roles,
      deadline: new Date(clock.now().getTime() + claimed.timeoutMs).toISOString(),
      resultId: claimed.resultId,
      availableUntil: claimed.availableUntil,
    },
  };
  return event;
}

/** A promised date is an instant fixed before the write (DESIGN 6). */
export function retentionEnd({ clock, settings }: Pick<ExecutePorts, 'clock' | 'settings'>): string {
  return new Date(clock.now().getTime() + settings.storage.retentionDays * 86_400_000).toISOString();
}

const codes: Readonly<Record<FailureKind, ErrorCode>> = {
  throttled: 'ToolUnavailable',
  timeout: 'ToolUnavailable',
  connection: 'ToolUnavailable',
  killed: 'ToolUnavailable',
  service: 'ToolUnavailable',
  oversize: 'OversizeResult',
  bad_input: 'ToolFailed',
  tool: 'ToolFailed',
};

const sentences: Readonly<Record<FailureKind, string>> = {
  throttled: 'was throttled',
  timeout: 'did not answer in time',
  connection: 'could not be reached',
  killed: 'was ended before it had answered',
  service: 'could not be executed',
  oversize:
    'answered more than a function can hand over (6 MB); wrap the tool with the library so that it stores its result itself, or ask for less',
  bad_input: 'could not be executed with this input',
  tool: 'failed',
};

/** After these the tool may have done its work: no answer came, but nothing says that nothing was executed. */
const uncertain: ReadonlySet<FailureKind> = new Set(['timeout', 'connection', 'killed', 'service']);

function failure(
  { run }: Pick<ToolCall, 'run'>,
  tool: ToolDefinition,
  error: ToolInvocationError,
  attempts: number,
): Executed {
  const times = attempts > 1 ? ` after ${attempts} executions` : '';
  // Only what the tool itself said about its failure goes on; a service's wording is for the log.
  // A record may stand in it: a run that sees only some fields of this tool hears that it failed (DESIGN 7.6).
  // A platform tool says its expected failures itself; what else breaks in it is the log's.
  const open = error.kind === 'tool' && tool.builtin !== true && keptFields(tool, run.roles) === null;
  // Addresses inside the account (AWS names role and resource in its refusals) help no model and no person.
  const words = error.failure.message.replace(/\barn:[\w-]+:[^\s"']*/g, '[resource]');
  const said = open && words !== '' ? `: ${words}` : '';
  const once =
    tool.retry === 'once' && uncertain.has(error.kind) ? '; it may have been executed, and is not executed twice' : '';
  const message = `${tool.name} ${sentences[error.kind]}${times}${said}${once}`;
  return failed(codes[error.kind], message, error.kind === 'oversize');
}

function exhausted(
  call: ToolCall,
  tool: ToolDefinition,
  last: ToolInvocationError | undefined,
  maxAttempts: number,
): Executed {
  if (last !== undefined) return failure(call, tool, last, maxAttempts);
  const message =
    tool.retry === 'once'
      ? `${tool.name} may have been executed already and is not executed twice; its answer was lost`
      : `${tool.name} was executed ${maxAttempts} times without an answer`;
  return failed('ToolUnavailable', message);
}

function failed(code: ErrorCode, message: string, oversize = false): Executed {
  return { kind: 'failed', code, message, oversize };
}
