import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { createDeepAgent } from 'deepagents';
import { tool } from 'langchain';
import * as z from 'zod';
import { resultsByReference } from '../adapters/langchain.ts';
import { exampleArguments, exampleReferences, factsOf, OrdersScript, orders } from './orders.ts';

/** `node --import tsx examples/deepagents.ts`: a deep agent whose tool answers 5 MB. No network. */
const { windowTokens, pages } = exampleArguments();
const script = new OrdersScript(pages);

class ScriptedModel extends BaseChatModel {
  _llmType(): string {
    return 'scripted';
  }
  override bindTools(): this {
    return this;
  }
  async _generate(messages: BaseMessage[]) {
    const move = script.next(JSON.stringify(messages.map(({ type, content }) => ({ type, content }))));
    const message =
      'text' in move
        ? new AIMessage(move.text)
        : new AIMessage({
            content: '',
            tool_calls: [{ id: `use-${script.requests.length}`, name: move.tool, args: move.input }],
          });
    return { generations: [{ text: '', message }] };
  }
}

const agent = createDeepAgent({
  model: new ScriptedModel({}),
  tools: [
    tool(({ page }: { page: number }) => JSON.stringify(orders(page)), {
      name: 'orders',
      description: 'All orders of a page.',
      schema: z.object({ page: z.number() }),
    }),
  ],
  middleware: [
    resultsByReference({
      references: exampleReferences(),
      context: () => ({ owner: 'ada', session: 'example' }),
      windowTokens,
      maxTokens: 1_000,
    }),
  ],
});
const { messages, files } = await agent.invoke({ messages: [new HumanMessage('Which order is lost?')] });
// What deepagents' own eviction has put into the agent's files: nothing, since nothing that large comes to it any more.
const evicted = Object.keys((files ?? {}) as object);
process.stdout.write(`${JSON.stringify({ ...factsOf('deepagents', script, messages), evicted }, null, 2)}\n`);
