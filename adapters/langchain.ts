import { ToolMessage } from '@langchain/core/messages';
import { type AgentMiddleware, createMiddleware, type Runtime, tool } from 'langchain';
import type { JsonObject } from '../core/json.ts';
import type { Run } from '../core/run/run.ts';
import type { Kept } from '../core/store/keeping.ts';
import { boundedFailure } from '../core/wrap/bounded-failure.ts';
import { ConversationGuard, type GuardLimits } from '../core/wrap/conversation-guard.ts';
import type { References } from '../core/wrap/references.ts';
import type { ContextOf } from '../core/wrap/request-context.ts';
import type { Produced } from '../core/wrap/tool-source.ts';
import { boundedAnswer, codec, keptMessage, plain, produced, textOf } from './langchain-messages.ts';
import { readerTools } from './reader-tools.ts';

export interface LangChainOptions extends GuardLimits {
  readonly references: References;
  /** Whose call it is: owner and run, from the runtime of the agent's invocation. Without an answer nothing is stored. */
  readonly context: ContextOf<Runtime>;
  /**
   * Bytes of one explicit read, at most. Default 80,000: more than that deepagents takes out of the conversation again,
   * into a file of its own.
   */
  readonly maxReadBytes?: number;
  /**
   * Tools that answer what the model has just asked to see of something that is kept already: left as they are up to
   * `maxReadBytes`. Default: those that deepagents reads its files with.
   */
  readonly readTools?: readonly string[];
}

/** Beyond so many characters deepagents evicts a result; a byte is never more than one. */
const deepagentsEvicts = 80_000;
const deepagentsReads = ['ls', 'read_file', 'glob', 'grep'];

/**
 * Tool results by reference as LangChain middleware, for `createAgent` and deepagents alike: every tool's result passes,
 * failed calls too; the tools that read what is stored are offered beside the agent's own; every model call passes the
 * guard, which works on copies, so that the agent's state keeps its messages as they are.
 */
export function resultsByReference(options: LangChainOptions): AgentMiddleware {
  const { references, context, maxReadBytes = deepagentsEvicts, readTools = deepagentsReads } = options;
  const guard = new ConversationGuard(references, options);
  const readers = readerTools(references);
  const offered = readers.map(({ name, description, inputSchema }) =>
    // Answered below, where it is known whose call it is.
    tool(async () => 'NotFound: it is not known who asks', { name, description, schema: inputSchema as never }),
  );
  const isRead = (name: string, message: ToolMessage) =>
    readTools.includes(name) && Buffer.byteLength(textOf(message), 'utf8') <= maxReadBytes;
  return createMiddleware({
    name: 'claimcheck',
    tools: offered,
    wrapToolCall: async (request, handler) => {
      const { name, args, id = '' } = request.toolCall;
      const known = await context(request.runtime as Runtime);
      const reader = readers.find((each) => each.name === name);
      if (known === undefined) {
        if (reader !== undefined) return handler(request);
        const made = await executed(handler(request), (failed) => references.unkept(name, failed));
        return boundedAnswer(made, async (message) => {
          const kept = isRead(name, message) ? null : await references.unkept(name, produced(message));
          return kept === null ? message : keptMessage(message, kept);
        });
      }
      const run: Run = references.run(known);
      if (reader !== undefined) {
        const { text, status } = await reader.answer(run, args, { toolUseId: id, maxBytes: maxReadBytes });
        return new ToolMessage({ content: text, tool_call_id: id, name, status });
      }
      const call = { run, tool: name, toolUseId: id, input: args };
      const repeated = await references.repeated(call);
      if (repeated !== undefined) return keptMessage({ tool_call_id: id, name }, repeated);
      const made = await executed(handler(request), (failed) => references.keep(call, failed));
      return boundedAnswer(made, async (message) => {
        const kept = isRead(name, message) ? null : await references.keep(call, produced(message));
        return kept === null ? message : keptMessage(message, kept);
      });
    },
    wrapModelCall: async (request, handler) => {
      const known = await context(request.runtime as Runtime);
      if (known === undefined) return handler(request);
      const tools = request.tools.map((each) => {
        const { name, description, schema } = each as { name?: string; description?: string; schema?: unknown };
        return { name: name ?? '', description: description ?? '', inputSchema: plain(schema) as JsonObject };
      });
      const conversation = { messages: request.messages, system: request.systemMessage?.text ?? '', tools };
      return guard.call(references.run(known), conversation, codec, async (messages) =>
        handler(messages === request.messages ? request : { ...request, messages: [...messages] }),
      );
    },
  }) as AgentMiddleware;
}

/** What a tool made, or threw, within its budget. What asks a person on the way (`interrupt`) is no failure. */
async function executed<T>(made: T | Promise<T>, keep: (failed: Produced) => Promise<Kept | null>): Promise<T> {
  try {
    return await made;
  } catch (error) {
    if ((error as { readonly is_bubble_up?: unknown } | null)?.is_bubble_up === true) throw error;
    throw await boundedFailure(error, keep);
  }
}
