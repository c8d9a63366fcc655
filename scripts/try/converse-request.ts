import type { Message } from '../../core/content/block.ts';
import type { ModelRequest, ModelToolSpec } from '../../core/model/model.ts';

export interface ReadRequest {
  readonly request: ModelRequest;
  /** The fitted request in the shape that came in: a Converse request, or a list of messages. */
  readonly restore: (fitted: ModelRequest) => unknown;
}

type Plain = Readonly<Record<string, unknown>>;

/** A Converse request, or just its list of messages, as the guard takes it; a sentence when it is neither. */
export function readConverse(value: unknown): ReadRequest | string {
  const whole: Plain = Array.isArray(value) ? { messages: value } : isPlain(value) ? value : {};
  const messages = whole['messages'];
  if (!Array.isArray(messages) || messages.length === 0) return 'expected a Converse request or a list of messages';
  for (const [at, message] of messages.entries()) {
    if (!isPlain(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) {
      return `messages.${at}: expected a role of user or assistant`;
    }
    const content = message['content'];
    if (!Array.isArray(content) || !content.every(isBlock)) return `messages.${at}.content: expected a list of blocks`;
  }
  const config = whole['inferenceConfig'];
  const maxTokens = isPlain(config) ? Number(config['maxTokens'] ?? 0) : 0;
  const request: ModelRequest = {
    modelId: String(whole['modelId'] ?? ''),
    system: (Array.isArray(whole['system']) ? whole['system'] : []) as ModelRequest['system'],
    messages: withBytes(messages) as Message[],
    tools: toolsOf(whole['toolConfig']),
    cacheTools: false,
    maxTokens: Number.isFinite(maxTokens) ? maxTokens : 0,
  };
  return {
    request,
    restore: (fitted) => (Array.isArray(value) ? fitted.messages : { ...whole, messages: fitted.messages }),
  };
}

/** In JSON the bytes of media are base64; the guard counts media by what they are. */
function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes);
  if (!isPlain(value)) return value;
  for (const kind of ['image', 'document', 'video'] as const) {
    const media = value[kind];
    if (!isPlain(media) || !isPlain(media['source']) || typeof media['source']['bytes'] !== 'string') continue;
    return {
      ...value,
      [kind]: { ...media, source: { bytes: new Uint8Array(Buffer.from(media['source']['bytes'], 'base64')) } },
    };
  }
  if ('content' in value && Array.isArray(value['content'])) return { ...value, content: withBytes(value['content']) };
  if (isPlain(value['toolResult'])) return { ...value, toolResult: withBytes(value['toolResult']) };
  return value;
}

/** For `JSON.stringify`: bytes go out as they came in. */
export function bytesAsBase64(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

function toolsOf(config: unknown): readonly ModelToolSpec[] {
  if (!isPlain(config) || !Array.isArray(config['tools'])) return [];
  return config['tools'].flatMap((tool): ModelToolSpec[] => {
    const spec: unknown = isPlain(tool) ? tool['toolSpec'] : undefined;
    if (!isPlain(spec)) return [];
    const schema = isPlain(spec['inputSchema']) ? spec['inputSchema']['json'] : {};
    return [
      {
        name: String(spec['name'] ?? ''),
        description: String(spec['description'] ?? ''),
        inputSchema: (isPlain(schema) ? schema : {}) as ModelToolSpec['inputSchema'],
      },
    ];
  });
}

function isBlock(block: unknown): boolean {
  if (!isPlain(block)) return false;
  if ('toolResult' in block) {
    const result = block['toolResult'];
    return (
      isPlain(result) &&
      typeof result['toolUseId'] === 'string' &&
      Array.isArray(result['content']) &&
      result['content'].every(isPlain)
    );
  }
  if ('toolUse' in block) return isPlain(block['toolUse']) && typeof block['toolUse']['toolUseId'] === 'string';
  return !('text' in block) || typeof block['text'] === 'string';
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
