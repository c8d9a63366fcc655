import { acceptBlock } from '../content/accept-block.ts';
import type { ContentBlock, ToolResult } from '../content/block.ts';
import { jsonText } from '../content/json-text.ts';
import { type NormalisedResult, type NormalisedTexts, normalisedTexts } from '../content/normalise.ts';
import { inStretches } from '../content/steps.ts';
import type { JsonValue } from '../json.ts';
import { contentBytes } from '../store/content-size.ts';
import { isSmall, jsonPieces } from './json-pieces.ts';
import { jsonSize } from './json-size.ts';
import { streamBytes } from './stream-bytes.ts';
import { textBytes } from './text-bytes.ts';

/** What a tool made, as a frame around it sees it. */
export type Produced =
  /** The blocks of a tool result; many blocks are one result. */
  | { readonly kind: 'result'; readonly result: ToolResult }
  /** Any value of the process: what its JSON text is, is the result. A string is its own text. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** Bytes in memory: text in UTF-8, whatever it is. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Text or bytes in pieces, or records one by one (then NDJSON); never held whole. */
  | { readonly kind: 'stream'; readonly pieces: AsyncIterable<unknown> | Iterable<unknown> };

/** A result that does not fit its budget, ready to be walked once. */
export interface ToolSource {
  readonly pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readonly contentType: string;
  /** What is beside the body: attachments, short words. */
  readonly around: NormalisedResult;
  /** All of it is in memory already: it can be counted to its end in no time. */
  readonly inMemory: boolean;
  /** Bytes that it has at least, where that is known before it is walked. */
  readonly leastBytes?: number;
}

const json = 'application/json';
const plain = 'text/plain; charset=utf-8';
const noBytes = new Uint8Array(0);
const around: NormalisedResult = {
  body: noBytes,
  encoding: 'none',
  contentType: plain,
  kept: [],
  keptBefore: 0,
  leftOut: [],
  acknowledgement: null,
};

/**
 * Measures a result once: `null` when it is within `maxBytes` of UTF-8, else the result as a source. Plain data is not
 * serialised to be measured; what only the serialiser knows, by one call if it is small, else not at all. A stream is read up to the budget
 * and answered as text when it ends before.
 */
export async function overBudget(produced: Produced, maxBytes: number): Promise<ToolSource | { text: string } | null> {
  if (produced.kind === 'stream') return streamed(produced.pieces, maxBytes);
  if (produced.kind === 'value') return valued(produced.value, maxBytes);
  if (produced.kind === 'bytes') return produced.bytes.length <= maxBytes ? null : bytesSource(produced.bytes);
  const { result } = produced;
  const content = countedBlocks(result);
  const [only] = content;
  const alone = content.length === 1 && (result.structuredContent ?? null) === null ? only : undefined;
  // A JSON string may hold JSON: that is one of the cases that are looked at closer.
  if (alone !== undefined && 'text' in alone && !/^\s*"/.test(alone.text.slice(0, 64))) {
    return valued(alone.text, maxBytes);
  }
  if (alone !== undefined && 'json' in alone && typeof alone.json === 'object') return valued(alone.json, maxBytes);
  const structured = structuredBytes(result.structuredContent, maxBytes);
  const blocks = content.every(smallBlock) ? contentBytes(content) : maxBytes + 1;
  if (structured + blocks <= maxBytes) return null;
  const whole = await inStretches(normalisedTexts(result));
  // Both may fit and say the same.
  if (structured <= maxBytes && blocks <= maxBytes && bodyBytes(whole) <= maxBytes) return null;
  return textsSource(whole);
}

function structuredBytes(structured: JsonValue | undefined, maxBytes: number): number {
  if (structured === undefined) return 0;
  const bytes = jsonSize(structured, maxBytes);
  if (bytes >= 0) return bytes;
  return isSmall(structured) ? Buffer.byteLength(jsonText(structured), 'utf8') : maxBytes + 1;
}

/** Of a result that is small. */
function bodyBytes({ texts, acknowledgement }: NormalisedTexts): number {
  return Buffer.byteLength([...texts(), acknowledgement ?? ''].join(''), 'utf8');
}

/**
 * The blocks as a budget counts them: MCP's texts inside resources and links are text and data like any other. Images and
 * sounds are not looked into: they stay beside the result.
 */
export function countedBlocks({ content }: Pick<ToolResult, 'content'>): readonly ContentBlock[] {
  return content.map((block) => (isMedia(block) ? block : acceptBlock(block)));
}

function isMedia(block: unknown): boolean {
  if (typeof block !== 'object' || block === null) return false;
  const { type } = block as { readonly type?: unknown };
  return type === 'image' || type === 'audio';
}

/**
 * The words of a failed call: `null` when they are within `maxBytes` as they are. A failure may say itself in MCP's
 * structured content too.
 */
export function overBudgetFailure(result: ToolResult, maxBytes: number): readonly ContentBlock[] | null {
  const content = countedBlocks(result);
  const { structuredContent = null } = result;
  const blocks = structuredContent === null ? content : [...content, { json: structuredContent }];
  return blocks.length > 0 && contentBytes(blocks) <= maxBytes ? null : blocks;
}

/** The source of a result that must be reduced to a view first, whatever its size. */
export async function sourceOf(produced: Produced): Promise<ToolSource> {
  if (produced.kind === 'stream') {
    return { pieces: streamBytes(produced.pieces), contentType: plain, around, inMemory: false };
  }
  if (produced.kind === 'value') return valueSource(produced.value);
  if (produced.kind === 'bytes') return bytesSource(produced.bytes);
  return { ...textsSource(await inStretches(normalisedTexts(produced.result))), around };
}

function bytesSource(bytes: Uint8Array): ToolSource {
  return { pieces: streamBytes([bytes]), contentType: plain, around, inMemory: true, leastBytes: bytes.length };
}

function textsSource({ texts, leastBytes, ...whole }: NormalisedTexts): ToolSource {
  const { contentType } = whole;
  return { pieces: textBytes(texts()), contentType, around: { ...whole, body: noBytes }, inMemory: true, leastBytes };
}

function valued(value: unknown, maxBytes: number): ToolSource | null {
  if (typeof value === 'string') {
    if (value.length * 3 <= maxBytes) return null;
    return value.length <= maxBytes && Buffer.byteLength(value, 'utf8') <= maxBytes ? null : valueSource(value);
  }
  const bytes = jsonSize(value, maxBytes);
  if (bytes >= 0) return bytes <= maxBytes ? null : valueSource(value);
  if (!isSmall(value)) return valueSource(value);
  if (!hasText(value)) return null;
  const text = jsonText(value as JsonValue);
  if (Buffer.byteLength(text, 'utf8') <= maxBytes) return null;
  return { pieces: textBytes([text]), contentType: json, around, inMemory: true };
}

/** `JSON.stringify` makes nothing of these. */
function hasText(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

function valueSource(value: unknown): ToolSource {
  if (typeof value !== 'string') {
    return { pieces: textBytes(jsonPieces(value)), contentType: json, around, inMemory: true };
  }
  const contentType = /^\s*[[{]/.test(value.slice(0, 256)) ? json : plain;
  return { pieces: textBytes([value]), contentType, around, inMemory: true, leastBytes: value.length };
}

async function streamed(
  pieces: AsyncIterable<unknown> | Iterable<unknown>,
  maxBytes: number,
): Promise<ToolSource | { text: string }> {
  const bytes = streamBytes(pieces);
  const head: Uint8Array[] = [];
  let held = 0;
  while (held <= maxBytes) {
    const next = await bytes.next();
    if (next.done === true) return { text: Buffer.concat(head).toString('utf8') };
    head.push(Buffer.from(next.value));
    held += next.value.length;
  }
  async function* joined(): AsyncGenerator<Uint8Array> {
    yield* head;
    head.length = 0;
    yield* bytes;
  }
  return { pieces: joined(), contentType: plain, around, inMemory: false };
}

function smallBlock(block: ContentBlock): boolean {
  return !('json' in block) || isSmall(block.json as JsonValue);
}
