import { join } from 'node:path';
import { ToolMessage } from '@langchain/core/messages';
import { AfterToolCallEvent, TextBlock, ToolResultBlock } from '@strands-agents/sdk';
import { ContextOffloader, FileStorage } from '@strands-agents/sdk/vended-plugins/context-offloader';
import { createFilesystemMiddleware, FilesystemBackend } from 'deepagents';

/** What stands in the conversation for a result that was taken out, as the agent holds it. */
export type Offload = (text: string) => Promise<unknown>;

let made = 0;

/** deepagents 1.14.1: eviction by its file system middleware, as the agent calls it. `folder`: where its files go. */
export function deepagentsEviction(folder: string): Offload {
  made += 1;
  const backend = new FilesystemBackend({ rootDir: join(folder, `deepagents-${made}`), virtualMode: true });
  const { wrapToolCall } = createFilesystemMiddleware({ backend });
  return async (text) => {
    made += 1;
    const id = `use-${made}`;
    const request = { toolCall: { id, name: 'rows', args: {} }, tool: undefined, state: { messages: [] }, runtime: {} };
    const answer = (await wrapToolCall?.(request as never, async () => messageOf(text, id))) as ToolMessage;
    if (String(answer.content).length >= text.length) throw new Error('deepagents: nothing was evicted');
    return answer.content;
  };
}

/** Strands 1.19.0: its offloader's hook, as the agent calls it. */
export function strandsOffloader(folder: string): Offload {
  return async (text) => {
    made += 1;
    const hooks: ((event: AfterToolCallEvent) => unknown)[] = [];
    const agent = {
      model: { countTokens: async () => Math.ceil(text.length / 4) },
      addHook: (kind: unknown, hook: never) => (kind === AfterToolCallEvent ? hooks.push(hook) : 0),
    } as never;
    await new ContextOffloader({ storage: new FileStorage(join(folder, `strands-${made}`)) }).initAgent(agent);
    const toolUseId = `use-${made}`;
    const result = new ToolResultBlock({ toolUseId, status: 'success', content: [new TextBlock(text)] });
    const toolUse = { name: 'rows', toolUseId, input: {} };
    const event = new AfterToolCallEvent({ agent, toolUse, tool: undefined, result, invocationState: {} as never });
    for (const hook of hooks) await hook(event);
    if (event.result === result) throw new Error('Strands: nothing was offloaded');
    return event.result.content;
  };
}

function messageOf(content: string, id: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: id, name: 'rows' });
}
