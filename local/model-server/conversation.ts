import type { JsonObject, JsonValue } from '../../core/json.ts';
import { type ConverseRequest, isObject, type WireToolResult } from './request.ts';

/** One tool call since the person's last message, and what came back. */
export interface Answered {
  readonly tool: string;
  readonly input: JsonValue;
  readonly failed: boolean;
  /** All text of the result, blocks joined by line feeds; `json` blocks other than the data reference as JSON. */
  readonly text: string;
  /** The platform's data reference, when the result has one. */
  readonly reference?: DataReference;
}

/** What a data reference tells the model (DESIGN 5.3); only the members that scripts use. */
export interface DataReference {
  readonly ref: string;
  readonly tool: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly records: number | null;
  readonly fields: readonly string[];
  readonly downloadUrl: string;
  readonly coverage: JsonObject;
}

/** A request as scripts see it: the person's last message, what was done about it, and what could be done. */
export interface Conversation {
  readonly question: string;
  /** The person's earlier messages, oldest first. */
  readonly earlier: readonly string[];
  readonly answered: readonly Answered[];
  /** Number of assistant messages since the question. */
  readonly steps: number;
  readonly offered: ReadonlySet<string>;
  readonly system: string;
  /** References named anywhere in the request, latest last. */
  readonly references: readonly string[];
}

/** Reads a conversation from the messages sent, and from nothing else. */
export function readConversation(request: ConverseRequest): Conversation {
  const asked = request.messages.findLastIndex(
    ({ role, content }) => role === 'user' && content.some((block) => block.text !== undefined),
  );
  const since = request.messages.slice(asked + 1);
  const results = new Map<string, WireToolResult>();
  for (const { content } of since) {
    for (const block of content)
      if (block.toolResult !== undefined) results.set(block.toolResult.toolUseId, block.toolResult);
  }
  const answered = since.flatMap(({ content }) =>
    content.flatMap(({ toolUse }) => {
      const result = toolUse === undefined ? undefined : results.get(toolUse.toolUseId);
      return toolUse === undefined || result === undefined ? [] : [answerOf(toolUse.name, toolUse.input, result)];
    }),
  );
  const texts = (content: ConverseRequest['messages'][number]['content']) =>
    content.flatMap((block) => (block.text === undefined ? [] : [block.text])).join('\n');
  return {
    question: texts(request.messages[asked]?.content ?? []),
    earlier: request.messages.slice(0, Math.max(asked, 0)).flatMap(({ role, content }) => {
      const text = texts(content);
      return role === 'user' && text !== '' ? [text] : [];
    }),
    answered,
    steps: since.filter(({ role }) => role === 'assistant').length,
    offered: new Set(request.tools.flatMap((tool) => (tool.toolSpec === undefined ? [] : [tool.toolSpec.name]))),
    system: request.system.flatMap((block) => (block.text === undefined ? [] : [block.text])).join('\n'),
    references: [...JSON.stringify(request.messages).matchAll(/[0-9a-f]{32}\/[0-9a-f]{32}/g)].map(([ref]) => ref),
  };
}

function answerOf(tool: string, input: JsonValue, result: WireToolResult): Answered {
  const texts: string[] = [];
  let reference: DataReference | undefined;
  for (const block of result.content) {
    if (block.text !== undefined) texts.push(block.text);
    if (block.json === undefined) continue;
    const found = isObject(block.json) ? referenceOf(block.json['data_reference']) : undefined;
    if (found === undefined) texts.push(JSON.stringify(block.json));
    else reference = found;
  }
  const answer = { tool, input, failed: result.status === 'error', text: texts.join('\n') };
  return reference === undefined ? answer : { ...answer, reference };
}

function referenceOf(value: unknown): DataReference | undefined {
  if (!isObject(value) || typeof value['ref'] !== 'string') return undefined;
  const coverage = value['coverage'];
  const fields = value['fields'];
  return {
    ref: value['ref'],
    tool: String(value['tool'] ?? ''),
    bytes: Number(value['bytes'] ?? 0),
    sha256: String(value['sha256'] ?? ''),
    records: typeof value['records'] === 'number' ? value['records'] : null,
    fields: Array.isArray(fields) ? fields.map(String) : [],
    downloadUrl: String(value['download_url'] ?? ''),
    coverage: isObject(coverage) ? (coverage as JsonObject) : {},
  };
}
