import { createHash, randomUUID } from 'node:crypto';
import {
  BedrockAgentCoreClient,
  type CodeInterpreterResult,
  InvokeCodeInterpreterCommand,
  StartCodeInterpreterSessionCommand,
  StopCodeInterpreterSessionCommand,
  type ToolArguments,
} from '@aws-sdk/client-bedrock-agentcore';
import { cleanMessage } from '../core/analysis/clean-message.ts';
import type { AnalysisEngine, EngineAnswer, EngineInput, EngineJob, LoadedInput } from '../core/analysis/engine.ts';
import { RecordRuns } from '../core/analysis/record-runs.ts';
import { maxDepth, readValueText } from '../core/analysis/value-text.ts';
import { ClaimcheckError } from '../core/errors.ts';

/** Made here: a client that is imported on demand by its package's name brings every command along. */
export function agentCoreClient(): BedrockAgentCoreClient {
  return new BedrockAgentCoreClient({ maxAttempts: 2 });
}

/** All inputs together, since they travel in the requests themselves. */
const maxInputBytes = 32 * 1024 * 1024;
const maxRecordBytes = 16 * 1024 * 1024;
const fetchMs = 40_000;
/** Session and files around the program itself, in milliseconds. */
const overheadMs = 20_000;
/** What the service printed, beyond the answer. */
const maxPrintedBytes = 1024 * 1024;

/**
 * Python in Bedrock AgentCore's Code Interpreter: a session for each program, gone afterwards. The sandbox gets records
 * and program as files, no address, no right; `rows(name)` walks the records, `result` is the answer. Throws
 * `ToolUnavailable` when the service cannot be had; what it says about that is not handed on.
 */
export function agentCorePython(client: BedrockAgentCoreClient, interpreter: string): AnalysisEngine {
  return {
    run: async (job) => {
      const wanted = job.inputs.reduce((sum, input) => sum + input.bytes, 0);
      if (wanted > maxInputBytes) {
        return limit(`python: ${wanted} bytes of input, at most ${maxInputBytes}; use sql`);
      }
      const inputs: { readonly loaded: LoadedInput; readonly lines: Uint8Array }[] = [];
      for (const input of job.inputs) inputs.push(await recordsOf(input));
      const signal = AbortSignal.timeout(job.limits.deadlineMs + overheadMs);
      try {
        const result = await inSession(client, interpreter, signal, job, inputs);
        return answerOf(result, job, inputs);
      } catch (error) {
        if (error instanceof ClaimcheckError) throw error;
        if (signal.aborted) return limit(`python: it was ended after ${job.limits.deadlineMs} ms; ask for less`);
        throw unavailable(error);
      }
    },
  };
}

interface Result extends CodeInterpreterResult {
  readonly mark: string;
}

async function inSession(
  client: BedrockAgentCoreClient,
  codeInterpreterIdentifier: string,
  abortSignal: AbortSignal,
  job: EngineJob,
  inputs: readonly { readonly loaded: LoadedInput; readonly lines: Uint8Array }[],
): Promise<Result> {
  const started = await client.send(
    new StartCodeInterpreterSessionCommand({
      codeInterpreterIdentifier,
      name: 'claimcheck-analysis',
      // Should stopping fail, it ends by itself.
      sessionTimeoutSeconds: Math.ceil((job.limits.deadlineMs + overheadMs) / 1_000),
    }),
    { abortSignal },
  );
  const { sessionId } = started;
  const invoke = async (name: 'writeFiles' | 'executeCode', args: ToolArguments): Promise<CodeInterpreterResult> => {
    const command = new InvokeCodeInterpreterCommand({ codeInterpreterIdentifier, sessionId, name, arguments: args });
    const { stream } = await client.send(command, { abortSignal });
    return lastResult(stream);
  };
  try {
    for (const { loaded, lines } of inputs) {
      const written = await invoke('writeFiles', { content: [{ path: `${loaded.name}.ndjson`, blob: lines }] });
      if (written.isError === true) throw unavailable(null);
    }
    const mark = `@${randomUUID()}@`;
    const code = wrapper(job.program.text, mark, job.limits.maxOutputBytes);
    return { ...(await invoke('executeCode', { language: 'python', code, clearContext: true })), mark };
  } finally {
    // With a time of its own: the program may have used up the other.
    const stop = new StopCodeInterpreterSessionCommand({ codeInterpreterIdentifier, sessionId });
    await client.send(stop, { abortSignal: AbortSignal.timeout(5_000) }).catch(() => {});
  }
}

async function lastResult(
  stream: AsyncIterable<{ readonly result?: CodeInterpreterResult | undefined }> | undefined,
): Promise<CodeInterpreterResult> {
  let last: CodeInterpreterResult | undefined;
  // A failure in the stream is thrown by the client as it is read.
  for await (const event of stream ?? []) last = event.result ?? last;
  if (last === undefined) throw unavailable(null);
  return last;
}

/** The program is a text to Python, so that nothing in it ends the wrapper; the mark parts its answer from what it printed. */
function wrapper(program: string, mark: string, maxBytes: number): string {
  const literal = (text: string) => `json.loads(${JSON.stringify(JSON.stringify(text))})`;
  return `import json
def rows(name):
    with open(str(name) + ".ndjson", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
def run(program):
    scope = {"rows": rows}
    exec(compile(program, "program.py", "exec"), scope)
    return json.dumps(scope.get("result"), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
answer = run(${literal(program)})
print("\\n" + ${literal(mark)} + (answer if len(answer) <= ${maxBytes} else "#" + str(len(answer))))
`;
}

function answerOf(result: Result, job: EngineJob, inputs: readonly { readonly loaded: LoadedInput }[]): EngineAnswer {
  const { stdout, stderr, exitCode } = result.structuredContent ?? {};
  const printed = stdout ?? result.content?.map(({ text }) => text ?? '').join('\n') ?? '';
  if (result.isError === true || (exitCode ?? 0) !== 0) {
    const said = (stderr ?? '').trim() === '' ? printed : (stderr ?? '');
    return { outcome: 'error', code: 'AnalysisFailed', message: `python: ${cleanMessage(said.slice(-2_000), [])}` };
  }
  if (printed.length > job.limits.maxOutputBytes + maxPrintedBytes) return limit('python: it printed too much');
  const at = printed.lastIndexOf(result.mark);
  const text = at < 0 ? '' : printed.slice(at + result.mark.length).trim();
  if (text.startsWith('#')) {
    return limit(`python: the result has ${text.slice(1)} bytes, at most ${job.limits.maxOutputBytes}`);
  }
  const { fault } = readValueText(text, 0);
  if (fault !== null) {
    const message =
      fault === 'depth'
        ? `python: expected at most ${maxDepth} lists and objects inside one another, found more`
        : 'python: it ended before its result was there';
    return { outcome: 'error', code: 'AnalysisFailed', message };
  }
  return { outcome: 'value', text, inputs: inputs.map(({ loaded }) => loaded), chart: null };
}

/** The records of one stored copy as NDJSON, its digest checked. */
async function recordsOf(input: EngineInput): Promise<{ readonly loaded: LoadedInput; readonly lines: Uint8Array }> {
  const pieces: Uint8Array[] = [];
  try {
    const answer = await fetch(input.url, { redirect: 'error', signal: AbortSignal.timeout(fetchMs) });
    let bytes = 0;
    for await (const piece of answer.status === 200 ? (answer.body ?? []) : []) {
      pieces.push(piece);
      bytes += piece.length;
      // Another body, however long it is.
      if (bytes > input.bytes) break;
    }
  } catch {
    // Its message may hold the address, which is a right to read.
    throw new ClaimcheckError('StorageUnavailable', `${input.name}: the stored copy cannot be fetched right now`);
  }
  const body = Buffer.concat(pieces);
  if (body.length !== input.bytes || createHash('sha256').update(body).digest('hex') !== input.sha256) {
    throw new ClaimcheckError('StorageUnavailable', `${input.name}: the stored copy does not match its digest`);
  }
  const lines: Uint8Array[] = [];
  let records = 0;
  if (input.recordStart !== null) {
    const sink = {
      lines: (bytes: Uint8Array, count: number) => {
        lines.push(bytes);
        records += count;
      },
      wide: (bytes: number) => {
        throw new ClaimcheckError('AnalysisLimit', `${input.name}: record ${records} has ${bytes} bytes`);
      },
    };
    const runs = new RecordRuns(input, input.recordStart, sink, maxRecordBytes);
    if (runs.write(body.subarray(input.recordStart))) runs.end();
  }
  return { loaded: { name: input.name, records, bytes: input.bytes, columns: [] }, lines: Buffer.concat(lines) };
}

function limit(message: string): EngineAnswer {
  return { outcome: 'error', code: 'AnalysisLimit', message };
}

function unavailable(cause: unknown): ClaimcheckError {
  return new ClaimcheckError('ToolUnavailable', 'analysis: Python cannot be reached right now', {}, { cause });
}
