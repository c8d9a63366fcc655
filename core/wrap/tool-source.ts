import type { ContentBlock, ToolResult } from '../content/block.ts';
import { type NormalisedResult, normaliseResult } from '../content/normalise.ts';
import type { JsonValue } from '../json.ts';
import { contentBytes } from '../store/content-size.ts';
import { bodyPieces } from '../store/scan-facts.ts';
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
const around: NormalisedResult = {
  body: new Uint8Array(0),
  encoding: 'none',
  contentType: plain,
  kept: [],
  keptBefore: 0,
  leftOut: [],
  acknowledgement: null,
  originalBytes: 0,
};

/**
 * Measures a result once: `null` when it is within `maxBytes` of UTF-8, else the result as a source. Plain data is not
 * serialised to be measured; what only the serialiser knows, by one call if it is small, else not at all. A stream is read up to the budget
 * and answered as text when it ends before.
 */
export async function overBudget(produced: Produced, maxBytes: number): Promise<ToolSource | { text: string } | null> {
  if (produced.kind === 'stream') return streamed(produced.pieces, maxBytes);
  if (produced.kind === 'value') return valued(produced.value, maxBytes);
  const { result } = produced;
  const [only] = result.content;
  const alone = result.content.length === 1 && (result.structuredContent ?? null) === null ? only : undefined;
  // A JSON string may hold JSON: that is one of the cases that are looked at closer.
  if (alone !== undefined && 'text' in alone && !/^\s*"/.test(alone.text.slice(0, 64))) {
    return valued(alone.text, maxBytes);
  }
  if (alone !== undefined && 'json' in alone && typeof alone.json === 'object') return valued(alone.json, maxBytes);
  const structured = isSmall(result.structuredContent)
    ? (JSON.stringify(result.structuredContent)?.length ?? 0)
    : maxBytes + 1;
  if (structured <= maxBytes && result.content.every(smallBlock) && contentBytes(result.content) <= maxBytes)
    return null;
  const whole = normaliseResult(result);
  const { body, contentType } = whole;
  return { pieces: bodyPieces(body), contentType, around: whole, inMemory: true, leastBytes: body.length };
}

/** The source of a result that must be reduced to a view first, whatever its size. */
export function sourceOf(produced: Produced): ToolSource {
  if (produced.kind === 'stream') {
    return { pieces: streamBytes(produced.pieces), contentType: plain, around, inMemory: false };
  }
  if (produced.kind === 'value') return valueSource(produced.value);
  const whole = normaliseResult(produced.result);
  return { pieces: bodyPieces(whole.body), contentType: whole.contentType, around: { ...around }, inMemory: true };
}

function valued(value: unknown, maxBytes: number): ToolSource | null {
  if (typeof value === 'string') {
    if (value.length * 3 <= maxBytes) return null;
    return value.length <= maxBytes && Buffer.byteLength(value, 'utf8') <= maxBytes ? null : valueSource(value);
  }
  const bytes = jsonSize(value, maxBytes);
  if (bytes >= 0) return bytes <= maxBytes ? null : valueSource(value);
  if (!isSmall(value)) return valueSource(value);
  const text = JSON.stringify(value);
  if (text === undefined || Buffer.byteLength(text, 'utf8') <= maxBytes) return null;
  return { pieces: textBytes([text]), contentType: json, around, inMemory: true };
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
