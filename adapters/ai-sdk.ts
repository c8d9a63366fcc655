import { jsonSchema, type LanguageModelMiddleware, type Tool, type ToolSet, tool, type wrapLanguageModel } from 'ai';
import type { JsonObject } from '../core/json.ts';
import type { Kept } from '../core/store/keeping.ts';
import { boundedFailure } from '../core/wrap/bounded-failure.ts';
import { ConversationGuard, type GuardLimits, joinedText } from '../core/wrap/conversation-guard.ts';
import type { References } from '../core/wrap/references.ts';
import type { ContextOf } from '../core/wrap/request-context.ts';
import type { Produced } from '../core/wrap/tool-source.ts';
import { producedBy } from '../core/wrap/with-results-by-reference.ts';
import { filePart, filesBeside, type KeptFile } from './ai-sdk-files.ts';
import { type PromptMessage, promptCodec } from './ai-sdk-messages.ts';
import { readerTools } from './reader-tools.ts';

type Params = Parameters<NonNullable<LanguageModelMiddleware['wrapGenerate']>>[0]['params'];

export interface AiSdkOptions extends GuardLimits {
  readonly references: References;
  /** Whose request it is: owner and run, known around `generateText`. Without an answer nothing is stored. */
  readonly context: ContextOf<undefined>;
}

/** What a tool answers in the place of an oversize result; it is what the model reads, also after a trip through a UI. */
interface KeptOutput {
  readonly type: 'claimcheck';
  readonly text: string;
  /** Images and other files that came beside the result. */
  readonly files?: readonly KeptFile[];
}

/**
 * Tool results by reference for the Vercel AI SDK: `tools` wraps the tools of a call and adds the ones that read what is
 * stored; `middleware` is for `wrapLanguageModel` and fits every prompt into the model's window, on copies.
 */
export function resultsByReference(options: AiSdkOptions): {
  readonly tools: <Tools extends ToolSet>(tools: Tools) => Tools & ToolSet;
  readonly middleware: Parameters<typeof wrapLanguageModel>[0]['middleware'] & LanguageModelMiddleware;
} {
  const { references, context } = options;
  const guard = new ConversationGuard(references, options);

  const wrapped = (name: string, each: Tool): Tool => {
    const { execute, toModelOutput } = each;
    if (execute === undefined) return each;
    return {
      ...each,
      execute: async (input: unknown, call: Parameters<typeof execute>[1]) => {
        const known = await context(undefined);
        if (known === undefined) {
          const unkept = (produced: Produced) => references.unkept(name, produced);
          const made = await last(execute(input as never, call)).catch(async (error: unknown) => {
            throw await boundedFailure(error, unkept);
          });
          const kept = await unkept(producedBy(made));
          return kept === null ? made : output(kept, made);
        }
        const placed = { run: references.run(known), tool: name, toolUseId: call.toolCallId, input };
        const { made, kept } = await references
          .call(placed, () => last(execute(input as never, call)), producedBy)
          .catch(async (error: unknown) => {
            throw await boundedFailure(error, (failed) => references.keep(placed, failed));
          });
        return kept === null ? made : output(kept, made);
      },
      toModelOutput: async (given: { toolCallId: string; input: unknown; output: unknown }) => {
        if (isKept(given.output)) return keptOutput(given.output);
        if (toModelOutput !== undefined) return toModelOutput(given as never);
        if (typeof given.output === 'string') return { type: 'text', value: given.output };
        return { type: 'json', value: (given.output ?? null) as never };
      },
    } as Tool;
  };

  const readers = readerTools(references).map((reader) => [
    reader.name,
    tool({
      description: reader.description,
      inputSchema: jsonSchema(reader.inputSchema as never),
      execute: async (input: unknown, { toolCallId }) => {
        const known = await context(undefined);
        if (known === undefined) throw new Error('NotFound: it is not known who asks');
        const { text, status } = await reader.answer(references.run(known), input, { toolUseId: toolCallId });
        if (status === 'error') throw new Error(text);
        return text;
      },
    }),
  ]);

  async function fitted<R>(params: Params, send: (params: Params) => PromiseLike<R>): Promise<R> {
    const known = await context(undefined);
    if (known === undefined) return send(params);
    const tools = (params.tools ?? []).map((each) => {
      const { name, description, inputSchema } = each as { name: string; description?: string; inputSchema?: unknown };
      return { name, description: description ?? '', inputSchema: (inputSchema ?? {}) as JsonObject };
    });
    const system = params.prompt.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n');
    const conversation = { messages: params.prompt as readonly PromptMessage[], system, tools };
    return guard.call(references.run(known), conversation, promptCodec, async (messages) =>
      send(messages === params.prompt ? params : { ...params, prompt: [...messages] }),
    );
  }

  return {
    tools: (tools) =>
      Object.fromEntries([
        ...Object.entries(tools).map(([name, each]) => [name, wrapped(name, each as Tool)]),
        ...readers,
      ]),
    middleware: {
      specificationVersion: 'v4',
      wrapGenerate: ({ model, params }) => fitted(params, (each) => model.doGenerate(each)),
      wrapStream: ({ model, params }) => fitted(params, (each) => model.doStream(each)),
    },
  };
}

/** A tool may answer in steps; the last one is its result. */
async function last(made: unknown): Promise<unknown> {
  const value = await made;
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return value;
  let result: unknown;
  for await (const step of value as AsyncIterable<unknown>) result = step;
  return result;
}

function output({ content }: Kept, made: unknown): KeptOutput {
  const files = filesBeside(content, made);
  return { type: 'claimcheck', text: joinedText(content), ...(files.length > 0 && { files }) };
}

function keptOutput({ text, files = [] }: KeptOutput) {
  if (files.length === 0) return { type: 'text' as const, value: text };
  return { type: 'content' as const, value: [{ type: 'text' as const, text }, ...files.map(filePart)] };
}

function isKept(value: unknown): value is KeptOutput {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as KeptOutput).type === 'claimcheck' &&
    typeof (value as KeptOutput).text === 'string'
  );
}
