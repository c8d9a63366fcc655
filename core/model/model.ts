import type { Message } from '../content/block.ts';
import type { JsonObject } from '../json.ts';

export interface ModelToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** A Bedrock Converse request in domain words; the adapter maps it one to one. */
export interface ModelRequest {
  readonly modelId: string;
  readonly system: readonly ({ readonly text: string } | { readonly cachePoint: { readonly type: 'default' } })[];
  readonly messages: readonly Message[];
  readonly tools: readonly ModelToolSpec[];
  /** Whether a cache point stands after the tools. */
  readonly cacheTools: boolean;
  readonly maxTokens: number;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheWriteInputTokens: number;
}

export interface ModelReply {
  readonly message: Message;
  readonly stopReason: string;
  readonly usage: ModelUsage;
}

/** Calls the model once. Throws what the service said: `ModelServiceError` keeps its name and wording. */
export interface Model {
  converse(request: ModelRequest): Promise<ModelReply>;
}

/** A refusal or failure of the model service. `overflow` is decided by the guard from name and wording. */
export class ModelServiceError extends Error {
  override readonly name = 'ModelServiceError';
  /** The service's exception name, e.g. `ValidationException`. */
  readonly service: string;
  readonly retryable: boolean;
  constructor(service: string, message: string, retryable: boolean, options?: { cause?: unknown }) {
    super(message, options);
    this.service = service;
    this.retryable = retryable;
  }
}

/** What a model can take, a setting per model (DESIGN 8). */
export interface ModelSettings {
  readonly modelId: string;
  readonly windowTokens: number;
  readonly maxTokens: number;
  readonly cachePoints: boolean;
  /** The model is called by ConverseStream; its answer is used once it is whole. Default: Converse. */
  readonly stream?: boolean | undefined;
}
