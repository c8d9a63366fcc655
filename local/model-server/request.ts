import type { JsonObject, JsonValue } from '../../core/json.ts';

/** A Converse request as it travels: bytes are base64 text, each block is an object with one member. */
export interface ConverseRequest {
  readonly modelId: string;
  readonly system: readonly WireBlock[];
  readonly messages: readonly WireMessage[];
  readonly tools: readonly WireTool[];
  readonly maxTokens: number;
}

export interface WireMessage {
  readonly role: string;
  readonly content: readonly WireBlock[];
}

export interface WireToolResult {
  readonly toolUseId: string;
  readonly status?: string;
  readonly content: readonly WireBlock[];
}

export interface WireMedia {
  readonly format?: string;
  readonly name?: string;
  readonly source?: JsonObject;
}

export interface WireBlock {
  readonly text?: string;
  readonly json?: JsonValue;
  readonly image?: WireMedia;
  readonly document?: WireMedia;
  readonly video?: WireMedia;
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: JsonValue };
  readonly toolResult?: WireToolResult;
  readonly reasoningContent?: JsonObject;
  readonly cachePoint?: { readonly type: string };
}

export interface WireTool {
  readonly toolSpec?: {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: { readonly json: JsonValue };
  };
  readonly cachePoint?: { readonly type: string };
}

/** A refusal as the service words it; the SDK makes an exception named `name` of it. */
export class Refusal extends Error {
  override readonly name: string;
  readonly status: number;
  constructor(name: string, message: string, status: number) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

export function invalid(message: string): Refusal {
  return new Refusal('ValidationException', message, 400);
}

/** Reads a request's body; throws `SerializationException` for what is no JSON or holds half a surrogate pair. */
export function parseRequest(modelId: string, body: string): ConverseRequest {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new Refusal('SerializationException', 'The request body is not valid JSON.', 400);
  }
  if (!isObject(parsed)) throw new Refusal('SerializationException', 'The request body is not a JSON object.', 400);
  if (!wellFormed(parsed)) {
    throw new Refusal('SerializationException', 'A string of the request holds an unpaired surrogate.', 400);
  }
  const inference = parsed['inferenceConfig'];
  const toolConfig = parsed['toolConfig'];
  return {
    modelId,
    system: list(parsed['system']) as readonly WireBlock[],
    messages: list(parsed['messages']).map((message) => messageOf(message)),
    tools: (isObject(toolConfig) ? list(toolConfig['tools']) : []) as readonly WireTool[],
    maxTokens: isObject(inference) && typeof inference['maxTokens'] === 'number' ? inference['maxTokens'] : 4096,
  };
}

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function messageOf(value: unknown): WireMessage {
  if (!isObject(value) || typeof value['role'] !== 'string') throw invalid('A message needs a role and content.');
  return { role: value['role'], content: list(value['content']) as readonly WireBlock[] };
}

function list(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Refusal('SerializationException', 'Expected a list.', 400);
  return value;
}

function wellFormed(value: unknown): boolean {
  if (typeof value === 'string')
    return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(value);
  if (Array.isArray(value)) return value.every(wellFormed);
  if (isObject(value)) return Object.entries(value).every(([key, member]) => wellFormed(key) && wellFormed(member));
  return true;
}
