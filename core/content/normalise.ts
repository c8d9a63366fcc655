import type { JsonValue } from '../json.ts';
import { jsonPieces } from '../wrap/json-pieces.ts';
import { jsonSize } from '../wrap/json-size.ts';
import { acceptBlock } from './accept-block.ts';
import type { ContentBlock, JsonBlock, TextBlock, ToolResult } from './block.ts';
import { isJson, isStructured, parsedLength } from './json-check.ts';
import { jsonText, looksStructured, parsedJson } from './json-text.ts';
import { quoted, unquoted } from './quoted.ts';
import { equalValues, saysTheSame } from './same-json.ts';
import { inOneGo, type Steps } from './steps.ts';
import { storedBytes } from './well-formed.ts';

/** How the blocks of a result became one body; `docs/content.md` shows each. */
export type BodyEncoding =
  /** No text or json block at all: an empty body. */
  | 'none'
  /** One text block: its bytes. */
  | 'text'
  /** One json block, or MCP's structured content: its JSON text. */
  | 'json'
  /** A JSON string that held JSON: the inner text. */
  | 'unwrapped'
  /** Several blocks that are each a JSON array or object: one array of them, each with its own bytes. */
  | 'array'
  /** Several blocks of any kind: `{"content":[{"text":…},{"json":…}]}`, in order. */
  | 'content'
  /** Structured content beside a long text: `{"structuredContent":…,"text":{"1":…}}`. */
  | 'structured';

/** A tool result as the one thing it is: a body to scan, store and read, and what is not part of that body. */
export interface NormalisedResult {
  /** What is scanned and stored; offsets, digests and reads are all of these bytes. */
  readonly body: Uint8Array;
  readonly encoding: BodyEncoding;
  /** `application/json` or `text/plain; charset=utf-8`, judged by the ends; the scan knows better. */
  readonly contentType: string;
  /** Images, documents and videos, which stay in the conversation where they were and are no part of the body. */
  readonly kept: readonly ContentBlock[];
  /** How many of `kept` stood before the first text or json block. */
  readonly keptBefore: number;
  /** What the stored copy lacks, as it names it: the kept ones (`1 image`, `2 documents`), a JSON string's quoting. */
  readonly leftOut: readonly string[];
  /** A short text beside the data ("30 issues, see structured content"): shown beside the preview, never lost. */
  readonly acknowledgement: string | null;
}

/** The same with the body still to be written. */
export interface NormalisedTexts extends Omit<NormalisedResult, 'body'> {
  /** What the body is made of, from the beginning at each call; a lone surrogate keeps its bytes. */
  readonly texts: () => Iterable<string>;
  /** Bytes that the body has at least. */
  readonly leastBytes: number;
}

/** A text beside data is an acknowledgement up to here; a longer one is stored with the data. In UTF-8 bytes. */
const acknowledgementBytes = 1024;
/** Data beside words of a comparable size does not outweigh them: then all blocks are stored as they came. */
const dataOutweighs = 4;

/** Counted to the byte up to here. */
const countedBytes = 64 * 1024;

type Textual = TextBlock | JsonBlock;
type Body = Pick<NormalisedTexts, 'texts' | 'leastBytes' | 'encoding' | 'acknowledgement'>;

/**
 * Makes one result of a tool's blocks (DESIGN 5.1). One text block is its exact bytes. MCP's structured content and a
 * text that repeats it are one result, stored once, as the text's own bytes where there are any (its digits are whole).
 * Rows win over the words beside them; the words are kept as `acknowledgement`. Never throws on what a tool sent.
 */
export function normaliseResult(result: ToolResult): NormalisedResult {
  const { texts, leastBytes: _, ...whole } = inOneGo(normalisedTexts(result));
  const [only = '', ...more] = texts();
  return { ...whole, body: storedBytes(more.length === 0 ? only : [only, ...more].join('')) };
}

/** The same in steps, and with a body that is written piece by piece: however large, it holds nothing up. */
export function* normalisedTexts(result: ToolResult): Steps<NormalisedTexts> {
  const blocks = (Array.isArray(result.content) ? result.content : []).map(acceptBlock);
  const textual = blocks.filter(isTextual);
  const kept = blocks.filter((block) => !isTextual(block));
  const first = blocks.findIndex(isTextual);
  const media = { kept, keptBefore: first < 0 ? kept.length : first };
  const structured = result.structuredContent;
  const whole =
    structured === undefined || structured === null
      ? yield* fromBlocks(textual)
      : yield* fromStructured(structured, textual);
  const quoting = whole.encoding === 'unwrapped' ? ['the quotes and escapes around the JSON'] : [];
  const leftOut = [...named(kept), ...quoting];
  return { ...whole, ...media, leftOut, contentType: contentTypeOf(whole) };
}

function body(
  encoding: BodyEncoding,
  texts: () => Iterable<string>,
  leastBytes: number,
  acknowledgement: string | null = null,
): Body {
  return { texts, leastBytes, encoding, acknowledgement };
}

/** One block's own text. */
function bodyOf(block: Textual, acknowledgement: string | null = null): Body {
  const encoding = 'text' in block ? 'text' : 'json';
  return body(encoding, () => dataTexts(block), lengthOf(block), acknowledgement);
}

function* fromBlocks(blocks: readonly Textual[]): Steps<Body> {
  const [only] = blocks;
  if (only === undefined) return body('none', () => [], 0);
  if (blocks.length === 1) {
    const inner = yield* unwrapped(only);
    return inner === null ? bodyOf(only) : body('unwrapped', inner, 0);
  }
  const data: Textual[] = [];
  for (const block of blocks) if (yield* isData(block)) data.push(block);
  const leastBytes = blocks.reduce((sum, block) => sum + lengthOf(block), 0);
  if (data.length === blocks.length) return body('array', () => listed('[', data.map(dataTexts), ']'), leastBytes);
  const [rows] = data;
  if (rows !== undefined && data.length === 1) {
    const words = blocks.filter((block): block is TextBlock => block !== rows && 'text' in block);
    const bytes = words.reduce((sum, block) => sum + byteLength(block), 0);
    const only = words.length === blocks.length - 1;
    if (only && bytes <= acknowledgementBytes && byteLength(rows) >= bytes * dataOutweighs) {
      return bodyOf(rows, joined(words));
    }
  }
  return body('content', () => listed('{"content":[', blocks.map(blockTexts), ']}'), leastBytes);
}

/** MCP: `structuredContent` is the result; `content` repeats it, acknowledges it, or says more. */
function* fromStructured(structured: JsonValue, blocks: readonly Textual[]): Steps<Body> {
  const same = yield* repeats(structured, blocks);
  const data: readonly Textual[] = same?.length === 1 ? same : [{ json: structured }];
  const others = same === null ? blocks : blocks.filter((block) => !same.includes(block));
  return yield* beside(data[0] as Textual, others);
}

/** The data with the other blocks' words beside it: apart when they are short, in one document when they are long. */
function* beside(data: Textual, others: readonly Textual[]): Steps<Body> {
  const bytes = others.reduce((sum, block) => sum + byteLength(block), 0);
  if (bytes <= acknowledgementBytes) return { ...(yield* fromBlocks([data])), acknowledgement: joined(others) };
  const own = (yield* isData(data)) ? dataTexts : valueTexts;
  function* texts(): Generator<string> {
    yield '{"structuredContent":';
    yield* own(data);
    yield ',"text":';
    yield* listed('{', others.map(numbered), '}}');
  }
  return body('structured', texts, lengthOf(data));
}

/**
 * The blocks that say the same as the structured content: one block with the same value; or, as some servers wrap
 * what is no object, the value of its only field `result`, in one block or an element a block. Null when none does.
 */
function* repeats(structured: JsonValue, blocks: readonly Textual[]): Steps<readonly Textual[] | null> {
  for (const block of blocks) if (yield* says(block, structured)) return [block];
  const wrapped = wrappedResult(structured);
  if (wrapped === undefined) return null;
  for (const block of blocks) if ((yield* says(block, wrapped)) || isText(block, wrapped)) return [block];
  if (!Array.isArray(wrapped) || wrapped.length !== blocks.length || blocks.length < 2) return null;
  for (const [index, block] of blocks.entries()) {
    const element = (wrapped as readonly JsonValue[])[index] as JsonValue;
    if (!isText(block, element) && !(yield* says(block, element))) return null;
  }
  return blocks;
}

/** The block is this value: a json block, or a text that is JSON for it. */
function says(block: Textual, value: JsonValue): Steps<boolean> {
  return 'json' in block ? equalValues(block.json, value) : saysTheSame(block.text, value);
}

function isText(block: Textual, value: JsonValue): boolean {
  return 'text' in block && block.text === value;
}

function wrappedResult(structured: JsonValue): JsonValue | undefined {
  if (typeof structured !== 'object' || structured === null || Array.isArray(structured)) return undefined;
  const entries = Object.entries(structured);
  return entries.length === 1 && entries[0]?.[0] === 'result' ? (entries[0][1] as JsonValue) : undefined;
}

/** The inner text of a JSON string that holds a JSON array or object; null for anything else. */
function* unwrapped(block: Textual): Steps<(() => Iterable<string>) | null> {
  if ('json' in block) {
    const { json } = block;
    return typeof json === 'string' && (yield* isStructured(json)) ? () => [json] : null;
  }
  const { text } = block;
  if (!/^\s*"\s*(?:[[{]|\\)/.test(text.slice(0, 1024))) return null;
  if (text.length <= parsedLength) {
    const inner = parsedJson(text);
    return typeof inner === 'string' && (yield* isStructured(inner)) ? () => [inner] : null;
  }
  const from = text.indexOf('"') + 1;
  const to = text.lastIndexOf('"');
  if (to < from || !/^[ \t\r\n]*$/.test(text.slice(to + 1))) return null;
  const inner = () => unquoted(text, from, to);
  try {
    return looksStructured(yield* ends(inner())) && (yield* isJson(inner())) ? inner : null;
  } catch {
    return null;
  }
}

/** The beginning and the end of a long text, as far as its looks are told by them. */
function* ends(pieces: Iterable<string>): Steps<string> {
  let head = '';
  let tail = '';
  for (const piece of pieces) {
    if (head.length < 1024) head += piece.slice(0, 1024);
    tail = (tail + piece.slice(-1024)).slice(-1024);
    yield;
  }
  return head + tail;
}

function isTextual(block: ContentBlock): block is Textual {
  return 'text' in block || 'json' in block;
}

/** A JSON array or object, as a json block or as a text that is one. */
function* isData(block: Textual): Steps<boolean> {
  if ('json' in block) return typeof block.json === 'object' && block.json !== null;
  return yield* isStructured(block.text);
}

/** The block's own JSON text, which for a text block is its text to the byte. */
function dataTexts(block: Textual): Iterable<string> {
  return 'text' in block ? [block.text] : jsonPieces(block.json);
}

/** The block as a value inside a document: a text as a JSON string, a json block as its JSON. */
function valueTexts(block: Textual): Iterable<string> {
  return 'text' in block ? quoted(block.text) : jsonPieces(block.json);
}

function* blockTexts(block: Textual): Generator<string> {
  yield `{"${'text' in block ? 'text' : 'json'}":`;
  yield* valueTexts(block);
  yield '}';
}

function* numbered(block: Textual, index: number): Generator<string> {
  yield `"${index + 1}":`;
  yield* valueTexts(block);
}

function* listed(open: string, parts: readonly Iterable<string>[], close: string): Generator<string> {
  yield open;
  for (const [index, part] of parts.entries()) {
    if (index > 0) yield ',';
    yield* part;
  }
  yield close;
}

function joined(blocks: readonly Textual[]): string | null {
  const texts = blocks
    .map((block) => ('text' in block ? block.text : jsonText(block.json)))
    .filter((text) => /\S/u.test(text));
  return texts.length === 0 ? null : texts.join('\n');
}

/** UTF-8 bytes of the block; of a large json block, some number above `countedBytes`. */
function byteLength(block: Textual): number {
  if ('text' in block) return Buffer.byteLength(block.text, 'utf8');
  const counted = jsonSize(block.json, countedBytes);
  return counted >= 0 ? counted : Buffer.byteLength(jsonText(block.json), 'utf8');
}

/** Bytes that the block puts into a body at least. */
function lengthOf(block: Textual): number {
  return 'text' in block ? block.text.length : 0;
}

function contentTypeOf({ encoding, texts }: Body): string {
  if (encoding !== 'text' && encoding !== 'none') return 'application/json';
  const [text = ''] = texts();
  return looksStructured(text) ? 'application/json' : 'text/plain; charset=utf-8';
}

/** `1 image`, `2 documents`, in the order of first appearance. */
function named(blocks: readonly ContentBlock[]): string[] {
  const counts = new Map<string, number>();
  for (const block of blocks) {
    const kind = Object.keys(block)[0] ?? 'block';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`);
}
