import { Agent, type Message, Model, type ModelStreamEvent, tool } from '@strands-agents/sdk';
import * as z from 'zod';
import { resultsByReference } from '../adapters/strands.ts';
import { exampleArguments, exampleReferences, factsOf, OrdersScript, orders } from './orders.ts';

/** `node --import tsx examples/strands.ts`: a Strands agent whose tool answers 5 MB. No network. */
const { windowTokens, pages } = exampleArguments();
const script = new OrdersScript(pages);

class ScriptedModel extends Model {
  updateConfig(): void {}
  getConfig() {
    return { modelId: 'scripted' };
  }
  async *stream(messages: Message[]): AsyncIterable<ModelStreamEvent> {
    const move = script.next(JSON.stringify(messages));
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    if ('text' in move) {
      yield { type: 'modelContentBlockStartEvent' };
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text: move.text } };
    } else {
      const toolUseId = `use-${script.requests.length}`;
      yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name: move.tool, toolUseId } };
      const delta = { type: 'toolUseInputDelta' as const, input: JSON.stringify(move.input) };
      yield { type: 'modelContentBlockDeltaEvent', delta };
    }
    yield { type: 'modelContentBlockStopEvent' };
    yield { type: 'modelMessageStopEvent', stopReason: 'text' in move ? 'endTurn' : 'toolUse' };
  }
}

const agent = new Agent({
  model: new ScriptedModel(),
  printer: false,
  tools: [
    tool({
      name: 'orders',
      description: 'All orders of a page.',
      inputSchema: z.object({ page: z.number() }),
      callback: ({ page }) => orders(page) as never,
    }),
  ],
  plugins: [
    resultsByReference({
      references: exampleReferences(),
      context: () => ({ owner: 'ada', session: 'example' }),
      windowTokens,
      maxTokens: 1_000,
    }),
  ],
});
await agent.invoke('Which order is lost?');
process.stdout.write(`${JSON.stringify(factsOf('strands', script, agent.messages), null, 2)}\n`);
