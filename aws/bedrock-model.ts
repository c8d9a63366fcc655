import {
  type BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  type TokenUsage,
} from '@aws-sdk/client-bedrock-runtime';
import type { Message } from '../core/content/block.ts';
import type { Model, ModelReply, ModelRequest, ModelUsage } from '../core/model/model.ts';
import { bedrockFailure } from './bedrock-failure.ts';

/** Bedrock Converse: blocks travel as they are, reasoning included. */
export class BedrockModel implements Model {
  readonly #client: BedrockRuntimeClient;

  constructor(client: BedrockRuntimeClient) {
    this.#client = client;
  }

  async converse(request: ModelRequest): Promise<ModelReply> {
    try {
      const { output, stopReason, usage } = await this.#client.send(new ConverseCommand(commandInput(request)));
      return {
        message: (output?.message ?? { role: 'assistant', content: [] }) as unknown as Message,
        stopReason: stopReason ?? 'end_turn',
        usage: modelUsage(usage),
      };
    } catch (error) {
      throw bedrockFailure(error);
    }
  }
}

export function modelUsage(usage: TokenUsage | undefined): ModelUsage {
  return {
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    cacheReadInputTokens: usage?.cacheReadInputTokens ?? 0,
    cacheWriteInputTokens: usage?.cacheWriteInputTokens ?? 0,
  };
}

/** The command for a request, one to one. */
export function commandInput(request: ModelRequest): ConverseCommandInput {
  const tools = request.tools.map(({ name, description, inputSchema }) => ({
    toolSpec: { name, description, inputSchema: { json: inputSchema } },
  }));
  const cachePoint = request.cacheTools ? [{ cachePoint: { type: 'default' as const } }] : [];
  const input = {
    modelId: request.modelId,
    system: request.system,
    messages: request.messages,
    inferenceConfig: { maxTokens: request.maxTokens },
    // The service refuses an empty list of tools.
    ...(tools.length === 0 ? {} : { toolConfig: { tools: [...tools, ...cachePoint] } }),
  };
  return input as unknown as ConverseCommandInput;
}
