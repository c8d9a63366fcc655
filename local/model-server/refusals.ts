import {
  type ConverseRequest,
  invalid,
  isObject,
  type WireBlock,
  type WireMedia,
  type WireMessage,
} from './request.ts';
import { countedPieces, sum } from './tokens.ts';

/** Throws what the real service answers to a request that it does not take, in its own words. */
export function refuseWhatTheServiceRefuses(request: ConverseRequest, windowTokens: number): void {
  refuseRoles(request.messages);
  refuseTools(request);
  request.system.forEach((block, i) => {
    if (block.cachePoint === undefined && isBlank(block.text)) throw blank(`system.${i}`, 'SystemContentBlock');
  });
  request.messages.forEach((message, i) => {
    if (message.content.length === 0) {
      throw invalid(
        `The content field in the Message object at messages.${i} is empty. Add a ContentBlock object to the content field and try again.`,
      );
    }
    message.content.forEach((block, j) => {
      refuseBlock(block, `messages.${i}.content.${j}`);
    });
  });
  refusePairs(request);
  refuseCachePoints(request);
  refuseDocuments(request.messages);
  refuseOverflow(request, windowTokens);
}

function refuseRoles(messages: readonly WireMessage[]): void {
  if (messages[0]?.role !== 'user') {
    throw invalid(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  }
  messages.forEach((message, i) => {
    if (message.role !== (i % 2 === 0 ? 'user' : 'assistant')) {
      throw invalid(
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      );
    }
  });
  if (messages.at(-1)?.role !== 'user') {
    throw invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
}

function refuseTools(request: ConverseRequest): void {
  const names = request.tools.flatMap((tool) => (tool.toolSpec === undefined ? [] : [tool.toolSpec.name]));
  request.tools.forEach((tool, i) => {
    if (tool.toolSpec === undefined) return;
    const { name, inputSchema, description } = tool.toolSpec;
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      throw invalid(
        `Value '${name}' at 'toolConfig.tools.${i}.toolSpec.name' failed to satisfy constraint: [a-zA-Z0-9_-]+`,
      );
    }
    if (description !== undefined && description.length === 0) {
      throw invalid(
        `Value at 'toolConfig.tools.${i}.toolSpec.description' failed to satisfy constraint: at least 1 character`,
      );
    }
    if (!isObject(inputSchema?.json) || inputSchema.json['type'] !== 'object') {
      throw invalid(
        `The value at toolConfig.tools.${i}.toolSpec.inputSchema.json.type must be one of the following: object.`,
      );
    }
  });
  if (new Set(names).size !== names.length) throw invalid('The tools in toolConfig must have unique names.');
  const usesTools = request.messages.some(({ content }) =>
    content.some((block) => block.toolUse !== undefined || block.toolResult !== undefined),
  );
  if (usesTools && names.length === 0) {
    throw invalid('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
  }
}

const members = [
  'text',
  'json',
  'image',
  'document',
  'video',
  'toolUse',
  'toolResult',
  'reasoningContent',
  'cachePoint',
];

function refuseBlock(block: WireBlock, at: string): void {
  const keys = isObject(block) ? Object.keys(block) : [];
  if (keys.length !== 1 || !members.includes(keys[0] ?? '')) {
    throw invalid(`The ContentBlock object at ${at} must set one of the following keys: ${members.join(', ')}.`);
  }
  if (block.text !== undefined && isBlank(block.text)) throw blank(at, 'ContentBlock');
  if (block.json !== undefined && !isObject(block.json)) throw notAnObject(`${at}.json`);
  if (block.image !== undefined) refuseMedia(block.image, `${at}.image`, ['png', 'jpeg', 'gif', 'webp']);
  if (block.document !== undefined) {
    refuseMedia(block.document, `${at}.document`, ['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']);
  }
  if (block.toolUse !== undefined) {
    refuseToolUseId(block.toolUse.toolUseId, `${at}.toolUse`);
    if (!isObject(block.toolUse.input)) throw notAnObject(`${at}.toolUse.input`);
  }
  if (block.toolResult !== undefined) {
    const { toolUseId, status, content } = block.toolResult;
    refuseToolUseId(toolUseId, `${at}.toolResult`);
    if (status !== undefined && status !== 'success' && status !== 'error') {
      throw invalid(
        `Value '${status}' at '${at}.toolResult.status' failed to satisfy enum value set: [success, error]`,
      );
    }
    if (!Array.isArray(content) || (content.length === 0 && status === 'error')) {
      throw invalid(`The content field at ${at}.toolResult cannot be empty when status value is error.`);
    }
    content.forEach((inner, k) => {
      const place = `${at}.toolResult.content.${k}`;
      if (inner.toolUse ?? inner.toolResult ?? inner.reasoningContent ?? inner.cachePoint) {
        throw invalid(
          `The ToolResultContentBlock object at ${place} must set one of: text, json, image, document, video.`,
        );
      }
      refuseBlock(inner, place);
    });
  }
}

function refuseMedia(media: WireMedia, at: string, formats: readonly string[]): void {
  if (media.format === undefined || !formats.includes(media.format)) {
    throw invalid(
      `Value '${media.format}' at '${at}.format' failed to satisfy enum value set: [${formats.join(', ')}]`,
    );
  }
  const source = isObject(media.source) ? Object.values(media.source)[0] : undefined;
  if (source === undefined || source === '')
    throw invalid(`The source field at ${at} is empty. Add content and try again.`);
}

function refuseToolUseId(id: unknown, at: string): void {
  if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(id)) {
    throw invalid(`Value '${String(id)}' at '${at}.toolUseId' failed to satisfy constraint: [a-zA-Z0-9_-]+`);
  }
}

/** Every call is answered in the very next message, once, before any text. */
function refusePairs({ messages }: ConverseRequest): void {
  const seen = new Set<string>();
  messages.forEach((message, i) => {
    const answers = message.content.flatMap((block) =>
      block.toolResult === undefined ? [] : [block.toolResult.toolUseId],
    );
    const before = i === 0 ? [] : uses(messages[i - 1]);
    if (message.role === 'user') {
      if (answers.length > before.length) {
        throw invalid(
          `The number of toolResult blocks at messages.${i}.content exceeds the number of toolUse blocks of previous turn.`,
        );
      }
      const missing = before.filter((id) => !answers.includes(id));
      if (missing.length > 0) {
        throw invalid(
          `Expected toolResult blocks at messages.${i}.content for the following Ids: ${missing.join(', ')}`,
        );
      }
      const firstOther = message.content.findIndex(
        (block) => block.toolResult === undefined && block.cachePoint === undefined,
      );
      const lastAnswer = message.content.findLastIndex((block) => block.toolResult !== undefined);
      if (firstOther !== -1 && lastAnswer > firstOther) {
        throw invalid(
          `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${answers.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
        );
      }
    } else if (answers.length > 0) {
      throw invalid(`messages.${i}: \`tool_result\` blocks can only be in \`user\` messages`);
    }
    for (const id of uses(message)) {
      if (seen.has(id)) throw invalid(`messages.${i}: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
  });
}

function uses(message: WireMessage | undefined): readonly string[] {
  return (message?.content ?? []).flatMap((block) => (block.toolUse === undefined ? [] : [block.toolUse.toolUseId]));
}

function refuseCachePoints(request: ConverseRequest): void {
  const points = countedPieces(request).filter((piece) => piece.cachePoint).length;
  if (points > 4) throw invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${points}.`);
}

function refuseDocuments(messages: readonly WireMessage[]): void {
  const all = messages.flatMap(({ content }) =>
    content.flatMap((block) => [block, ...(block.toolResult?.content ?? [])]),
  );
  const names = all.flatMap((block) => (block.document === undefined ? [] : [block.document.name ?? '']));
  for (const name of names) {
    if (!/^[A-Za-z0-9\s\-()[\]]{1,200}$/.test(name) || /\s{2}/.test(name) || name.trim() === '') {
      throw invalid(
        "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.",
      );
    }
  }
  if (new Set(names).size !== names.length) throw invalid('The documents of a request must have unique names.');
}

function refuseOverflow(request: ConverseRequest, windowTokens: number): void {
  const input = sum(countedPieces(request).map((piece) => piece.tokens));
  if (input > windowTokens) throw invalid('Input is too long for requested model.');
  if (input + request.maxTokens > windowTokens) {
    throw invalid(
      `The model returned the following errors: input length and \`max_tokens\` exceed context limit: ${input} + ${request.maxTokens} > ${windowTokens}, decrease input length or \`max_tokens\` and try again`,
    );
  }
}

function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

function blank(at: string, kind: string) {
  return invalid(`The text field in the ${kind} object at ${at} is blank. Add text to the text field, and try again.`);
}

function notAnObject(at: string) {
  return invalid(`The format of the value at ${at} is invalid. Provide a json object for the field and try again.`);
}
