import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { Agent, type Message, Model, type ModelStreamEvent, tool as strandsTool } from '@strands-agents/sdk';
import { tool as aiTool, generateText, stepCountIs, type ToolResultPart, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { createDeepAgent } from 'deepagents';
import { createAgent, tool as langchainTool } from 'langchain';
import * as z from 'zod';
import { resultsByReference as forAiSdk } from '../../../adapters/ai-sdk.ts';
import { resultsByReference as forLangChain } from '../../../adapters/langchain.ts';
import { resultsByReference as forStrands } from '../../../adapters/strands.ts';
import type { References } from '../../../core/wrap/references.ts';
import type { RequestContext } from '../../../core/wrap/request-context.ts';

export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly input: object;
}
/** One call, several in one message, or the end. */
export type Move = Call | readonly Call[] | 'end';

/** One agent of any framework: a scripted model, one tool, and what the model was sent. */
export interface Setup {
  readonly references: References;
  readonly context: () => RequestContext | undefined;
  readonly windowTokens: number;
  /** The model's moves; it may throw. Gets the number of the request and the request. */
  readonly model: (number: number, request: string) => Move;
  readonly tool: (input: { readonly page: number }) => unknown;
}

export const frameworks: Readonly<Record<string, (setup: Setup) => Promise<readonly string[]>>> = {
  strands: async (setup) => {
    const requests: string[] = [];
    class Scripted extends Model {
      updateConfig(): void {}
      getConfig() {
        return { modelId: 'scripted' };
      }
      async *stream(messages: Message[]): AsyncIterable<ModelStreamEvent> {
        const move = next(setup, requests, messages);
        yield { type: 'modelMessageStartEvent', role: 'assistant' };
        if (move === 'end') {
          yield { type: 'modelContentBlockStartEvent' };
          yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text: 'done' } };
          yield { type: 'modelContentBlockStopEvent' };
        }
        for (const call of callsOf(move)) {
          const start = { type: 'toolUseStart' as const, name: call.tool, toolUseId: call.id };
          yield { type: 'modelContentBlockStartEvent', start };
          const delta = { type: 'toolUseInputDelta' as const, input: JSON.stringify(call.input) };
          yield { type: 'modelContentBlockDeltaEvent', delta };
          yield { type: 'modelContentBlockStopEvent' };
        }
        yield { type: 'modelMessageStopEvent', stopReason: move === 'end' ? 'endTurn' : 'toolUse' };
      }
    }
    const rows = strandsTool({
      name: 'rows',
      description: 'rows',
      inputSchema: z.object({ page: z.number() }),
      callback: async (input) => (await setup.tool(input)) as never,
    });
    const plugins = [forStrands({ ...setup, maxTokens: 1_000 })];
    await new Agent({ model: new Scripted(), printer: false, tools: [rows], plugins }).invoke('go');
    return requests;
  },
  langchain: (setup) => onLangChain(setup, createAgent),
  deepagents: (setup) => onLangChain(setup, createDeepAgent as unknown as typeof createAgent),
  'ai-sdk': async (setup) => {
    const requests: string[] = [];
    const { tools, middleware } = forAiSdk({ ...setup, maxTokens: 1_000 });
    const scripted = new MockLanguageModelV4({
      doGenerate: async ({ prompt }) => {
        const move = next(setup, requests, prompt);
        return {
          content:
            move === 'end'
              ? [{ type: 'text', text: 'done' }]
              : callsOf(move).map(({ id, tool, input }) => ({
                  type: 'tool-call' as const,
                  toolCallId: id,
                  toolName: tool,
                  input: JSON.stringify(input),
                })),
          finishReason: { unified: move === 'end' ? 'stop' : 'tool-calls', raw: undefined },
          usage: {
            inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 0, text: 0, reasoning: 0 },
          },
          warnings: [],
        };
      },
    });
    const rows = aiTool({
      description: 'rows',
      inputSchema: z.object({ page: z.number() }),
      execute: async (input) => setup.tool(input),
      toModelOutput: ({ output }) => ofMcp(output),
    });
    const model = wrapLanguageModel({ model: scripted, middleware });
    await generateText({ model, prompt: 'go', stopWhen: stepCountIs(30), tools: tools({ rows }), maxRetries: 0 });
    return requests;
  },
};

interface McpContent {
  readonly type: string;
  readonly text?: string;
  readonly mimeType?: string;
  readonly data?: string;
  readonly resource?: { readonly mimeType: string; readonly blob: string };
}

/** What the AI SDK's own client of MCP makes of a tool's output: files as files. */
function ofMcp(output: unknown): ToolResultPart['output'] {
  const { content } = (output ?? {}) as { readonly content?: readonly McpContent[] };
  if (!Array.isArray(content)) {
    return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output as never };
  }
  const value = (content as readonly McpContent[]).map(({ type, text, mimeType, data, resource }) =>
    type === 'text'
      ? { type: 'text' as const, text: text ?? '' }
      : {
          type: 'file' as const,
          mediaType: resource?.mimeType ?? mimeType ?? '',
          data: { type: 'data' as const, data: resource?.blob ?? data ?? '' },
        },
  );
  return { type: 'content', value };
}

/** An agent on LangChain, made by its own function or by one on top of it. */
async function onLangChain(setup: Setup, make: typeof createAgent): Promise<readonly string[]> {
  const requests: string[] = [];
  class Scripted extends BaseChatModel {
    _llmType(): string {
      return 'scripted';
    }
    override bindTools(): this {
      return this;
    }
    async _generate(messages: BaseMessage[]) {
      const move = next(
        setup,
        requests,
        messages.map((message) => ({ type: message.type, content: message.content, ...artifactOf(message) })),
      );
      const calls = callsOf(move).map(({ id, tool, input }) => ({ id, name: tool, args: { ...input } }));
      return { generations: [{ text: '', message: new AIMessage({ content: 'x', tool_calls: calls }) }] };
    }
  }
  const answer = async (input: { page: number }, config: { toolCall?: { id?: string } }) => {
    try {
      return asText(await setup.tool(input));
    } catch (error) {
      // A thrown error ends a LangChain agent; one that goes on answers it as a message.
      const { message: content } = error as Error;
      return new ToolMessage({ status: 'error', content, tool_call_id: config.toolCall?.id ?? '' });
    }
  };
  const schema = z.object({ page: z.number() });
  const rows = langchainTool(answer as (input: { page: number }) => Promise<string>, {
    name: 'rows',
    description: 'rows',
    schema,
  });
  const middleware = [forLangChain({ ...setup, maxTokens: 1_000 })];
  const agent = make({ model: new Scripted({ maxRetries: 0 }), tools: [rows], middleware });
  await agent.invoke({ messages: [new HumanMessage('go')] }, { recursionLimit: 60 });
  return requests;
}

function artifactOf(message: BaseMessage): { readonly artifact?: unknown } {
  return ToolMessage.isInstance(message) && message.artifact !== undefined ? { artifact: message.artifact } : {};
}

function callsOf(move: Move): readonly Call[] {
  if (move === 'end') return [];
  return 'id' in move ? [move] : move;
}

function next({ model }: Setup, requests: string[], messages: unknown): Move {
  const request = JSON.stringify(messages);
  requests.push(request);
  return model(requests.length - 1, request);
}

function asText(value: unknown): string {
  // A message of its own passes as it is.
  if (ToolMessage.isInstance(value)) return value as unknown as string;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
