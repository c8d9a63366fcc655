import { InvokeCommand } from '@aws-sdk/client-lambda';
import { classifyFailure, type InvocationFailure } from '../core/retry/classify.ts';
import { ToolInvocationError, type ToolInvoker } from '../core/tool/tool-invoker.ts';
import { toolInvokerClient } from './clients.ts';

/** Characters of a function's own error text that are kept. */
const messageCharacters = 300;

/** Invokes Lambda functions and waits for the answer; the client repeats nothing (DESIGN 9). */
export class LambdaToolInvoker implements ToolInvoker {
  readonly #clients = new Map<number, ReturnType<typeof toolInvokerClient>>();

  async invoke(functionName: string, payload: unknown, timeoutMs: number): Promise<unknown> {
    const answer = await this.#send(functionName, payload, timeoutMs);
    const text = answer.Payload === undefined ? '' : Buffer.from(answer.Payload).toString('utf8');
    const value = parsed(text);
    if (answer.FunctionError === undefined) {
      if (value.ok) return value.json;
      throw failed({ name: 'InvalidJson', message: 'the function answered no JSON', byFunction: true });
    }
    const { errorType, errorMessage } = (value.ok ? (value.json ?? {}) : {}) as Record<string, unknown>;
    throw failed({
      name: typeof errorType === 'string' ? errorType : answer.FunctionError,
      message: typeof errorMessage === 'string' ? errorMessage.slice(0, messageCharacters) : '',
      byFunction: true,
    });
  }

  async #send(functionName: string, payload: unknown, timeoutMs: number) {
    const client = this.#clients.get(timeoutMs) ?? toolInvokerClient(timeoutMs);
    this.#clients.set(timeoutMs, client);
    try {
      return await client.send(
        new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(payload), 'utf8') }),
        { abortSignal: AbortSignal.timeout(timeoutMs) },
      );
    } catch (error) {
      const { name, message, code, $metadata } = error as Error & {
        code?: string;
        $metadata?: { httpStatusCode?: number };
      };
      throw failed(
        {
          name: name === 'AbortError' ? 'TimeoutError' : name,
          message: (message ?? '').slice(0, messageCharacters),
          status: $metadata?.httpStatusCode,
          code,
          byFunction: false,
        },
        error,
      );
    }
  }
}

function failed(failure: InvocationFailure, cause?: unknown): ToolInvocationError {
  return new ToolInvocationError(classifyFailure(failure), failure, { cause });
}

function parsed(text: string): { readonly ok: true; readonly json: unknown } | { readonly ok: false } {
  if (text === '') return { ok: true, json: null };
  try {
    return { ok: true, json: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}
