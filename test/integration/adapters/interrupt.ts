import { createRequire } from 'node:module';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { createAgent, tool } from 'langchain';
import * as z from 'zod';
import { resultsByReference } from '../../../adapters/langchain.ts';
import { exampleReferences } from '../../../examples/orders.ts';

/** A tool that asks a person about more than fits its budget. Prints whether the person is asked that. LangGraph is LangChain's own. */
const { interrupt, MemorySaver } = createRequire(import.meta.resolve('langchain'))('@langchain/langgraph');

class Scripted extends BaseChatModel {
  _llmType(): string {
    return 'scripted';
  }
  override bindTools(): this {
    return this;
  }
  async _generate(messages: BaseMessage[]) {
    const asked = messages.some(({ type }) => type === 'tool');
    const call = { id: 'use-1', name: 'ask', args: {} };
    const message = asked ? new AIMessage('done') : new AIMessage({ content: '', tool_calls: [call] });
    return { generations: [{ text: '', message }] };
  }
}

const question = 'Delete these rows? '.repeat(4_000);
const agent = createAgent({
  model: new Scripted({}),
  checkpointer: new MemorySaver(),
  tools: [tool(() => interrupt(question), { name: 'ask', description: 'asks', schema: z.object({}) })],
  middleware: [
    resultsByReference({
      references: exampleReferences(),
      context: () => ({ owner: 'ada', session: 'interrupt' }),
      windowTokens: 200_000,
      maxTokens: 1_000,
    }),
  ],
});
const thread = { configurable: { thread_id: 'one' } };
const out = await agent.invoke({ messages: [new HumanMessage('go')] }, thread);
const asked = (out as { readonly __interrupt__?: readonly { readonly value: unknown }[] }).__interrupt__ ?? [];
process.stdout.write(JSON.stringify({ asked: asked.map(({ value }) => value === question) }));
