import { ExecuteToolStage, InvokeModelStage, type LocalAgent, type Plugin, type Tool, tool } from '@strands-agents/sdk';
import type { JsonObject } from '../core/json.ts';
import { ConversationGuard, type GuardLimits } from '../core/wrap/conversation-guard.ts';
import type { References } from '../core/wrap/references.ts';
import type { ContextOf } from '../core/wrap/request-context.ts';
import { readerTools } from './reader-tools.ts';
import { codec, keptResult, produced } from './strands-messages.ts';

export interface StrandsOptions extends GuardLimits {
  readonly references: References;
  /** Whose agent it is: owner and run. Without an answer nothing is stored. */
  readonly context: ContextOf<LocalAgent>;
}

/**
 * Tool results by reference for a Strands agent: `new Agent({ plugins: [resultsByReference({…})] })`. Every tool's
 * result passes, failed calls too; the tools that read what is stored are offered beside the agent's own; every model
 * call passes the guard, which works on copies of the messages.
 */
export function resultsByReference(options: StrandsOptions): Plugin {
  const { references, context } = options;
  const guard = new ConversationGuard(references, options);
  const readers = readerTools(references);
  const own = new Set(readers.map(({ name }) => name));
  return {
    name: 'claimcheck',
    getTools: (): Tool[] =>
      readers.map((reader) =>
        tool({
          name: reader.name,
          description: reader.description,
          inputSchema: reader.inputSchema as never,
          callback: async (input: unknown, call) => {
            const known = call === undefined ? undefined : await context(call.agent);
            if (known === undefined || call === undefined) throw new Error('NotFound: it is not known who asks');
            const answer = await reader.answer(references.run(known), input, { toolUseId: call.toolUse.toolUseId });
            if (answer.status === 'error') throw new Error(answer.text);
            return answer.text;
          },
        }),
      ),
    initAgent: (agent) => {
      agent.addMiddleware(ExecuteToolStage, async function* ({ ...call }, next) {
        if (own.has(call.toolUse.name)) return yield* next(call);
        const known = await context(call.agent);
        const { toolUseId, name, input } = call.toolUse;
        if (known === undefined) {
          const { result } = yield* next(call);
          const kept = await references.unkept(name, produced(result));
          return { result: kept === null ? result : keptResult(toolUseId, kept, result.content) };
        }
        const wrapped = { run: references.run(known), tool: name, toolUseId, input };
        const repeated = await references.repeated(wrapped);
        if (repeated !== undefined) return { result: keptResult(toolUseId, repeated) };
        const { result } = yield* next(call);
        const kept = await references.keep(wrapped, produced(result));
        return { result: kept === null ? result : keptResult(toolUseId, kept, result.content) };
      });
      agent.addMiddleware(InvokeModelStage, async function* (call, next) {
        const known = await context(call.agent);
        if (known === undefined) return yield* next(call);
        const tools = call.toolSpecs.map((spec) => ({
          name: spec.name,
          description: spec.description,
          inputSchema: (spec.inputSchema ?? {}) as unknown as JsonObject,
        }));
        const system =
          typeof call.systemPrompt === 'string' ? call.systemPrompt : JSON.stringify(call.systemPrompt ?? '');
        const request = { messages: call.messages, system, tools };
        const attempts = guard.attempts(references.run(known), request, codec);
        for (let messages = await attempts.first(); ; ) {
          try {
            return yield* next({ ...call, messages });
          } catch (error) {
            messages = await attempts.afterOverflow(error);
          }
        }
      });
    },
  };
}
