import { type BedrockRuntimeClient, ConverseCommand, type ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime';
import type { Message } from '../core/content/block.ts';
import { type Model, type ModelReply, type ModelRequest, ModelServiceError } from '../core/model/model.ts';

const retryable = new Set([
  'ThrottlingException',
  'ServiceUnavailableException',
  'InternalServerException',
  'ModelTimeoutException',
  'ModelNotReadyException',
  'ModelErrorException',
  'TimeoutError',
]);

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
        usage: {
          inputTokens: usage?.inputTokens ?? 0,
          outputTokens: usage?.outputTokens ?? 0,
          cacheReadInputTokens: usage?.cacheReadInputTokens ?? 0,
          cacheWriteInputTokens: usage?.cacheWriteInputTokens ?? 0,
        },
      };
    } catch (error) {
      const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
      const status = $metadata?.httpStatusCode;
      const again = retryable.has(name) || status === undefined || status === 429 || status >= 500;
      throw new ModelServiceError(name, message, again, { cause: error });
    }
  }
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
