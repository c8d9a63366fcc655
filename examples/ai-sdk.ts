import { generateText, stepCountIs, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import * as z from 'zod';
import { resultsByReference } from '../adapters/ai-sdk.ts';
import { exampleArguments, exampleReferences, factsOf, OrdersScript, orders } from './orders.ts';

/** `node --import tsx examples/ai-sdk.ts`: the Vercel AI SDK with a tool that answers 5 MB. No network. */
const { windowTokens, pages } = exampleArguments();
const script = new OrdersScript(pages);
const { tools, middleware } = resultsByReference({
  references: exampleReferences(),
  context: () => ({ owner: 'ada', session: 'example' }),
  windowTokens,
  maxTokens: 1_000,
});

const scripted = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const move = script.next(JSON.stringify(prompt));
    const call = { type: 'tool-call' as const, toolCallId: `use-${script.requests.length}` };
    return {
      content:
        'text' in move
          ? [{ type: 'text', text: move.text }]
          : [{ ...call, toolName: move.tool, input: JSON.stringify(move.input) }],
      finishReason: { unified: 'text' in move ? 'stop' : 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      },
      warnings: [],
    };
  },
});

const { response } = await generateText({
  model: wrapLanguageModel({ model: scripted, middleware }),
  prompt: 'Which order is lost?',
  stopWhen: stepCountIs(20),
  tools: tools({
    orders: tool({
      description: 'All orders of a page.',
      inputSchema: z.object({ page: z.number() }),
      execute: async ({ page }) => orders(page),
    }),
  }),
});
process.stdout.write(`${JSON.stringify(factsOf('ai-sdk', script, response.messages), null, 2)}\n`);
