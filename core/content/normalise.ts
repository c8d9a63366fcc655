import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../json.ts';
import { acceptBlock } from './accept-block.ts';
import type { ContentBlock, JsonBlock, TextBlock, ToolResult } from './block.ts';
import { jsonText, looksStructured, parsedJson } from './json-text.ts';
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
  /** UTF-8 bytes of everything textual that the tool sent, a second copy of the same not counted. */
  readonly originalBytes: number;
}

/** A text beside data is an acknowledgement up to here; a longer one is stored with the data. In UTF-8 bytes. */
const acknowledgementBytes = 1024;
/** Data beside words of a comparable size does not outweigh them: then all blocks are stored as they came. */
const dataOutweighs = 4;

type Textual = TextBlock | JsonBlock;

/**
 * Makes one result of a tool's blocks (DESIGN 5.1). One text block is its exact bytes. MCP's structured content and a
 * text that repeats it are one result, stored once, as the text's own bytes where there are any (its digits are whole).
 * Rows win over the words beside them; the words are kept as `acknowledgement`. Never throws on what a tool sent.
 */
export function normaliseResult(result: ToolResult): NormalisedResult {
  const blocks = (Array.isArray(result.content) ? result.content : []).map(acceptBlock);
  const textual = blocks.filter(isTextual);
  const kept = blocks.filter((block) => !isTextual(block));
  const first = blocks.findIndex(isTextual);
  const media = { kept, keptBefore: first < 0 ? kept.length : first };
  const structured = result.structuredContent;
  const whole =
    structured === undefined || structured === null ? fromBlocks(textual) : fromStructured(structured, textual);
  const quoting = whole.encoding === 'unwrapped' ? ['the quotes and escapes around the JSON'] : [];
  const leftOut = [...named(kept), ...quoting];
  return { ...whole, ...media, leftOut, contentType: contentTypeOf(whole.body, whole.encoding) };
}

type Body = Pick<NormalisedResult, 'body' | 'encoding' | 'acknowledgement' | 'originalBytes'>;

function fromBlocks(blocks: readonly Textual[]): Body {
  const originalBytes = blocks.reduce((sum, block) => sum + byteLength(block), 0);
  const shaped = (text: string, encoding: BodyEncoding, acknowledgement: string | null = null): Body => ({
    body: storedBytes(text),
    encoding,
    acknowledgement,
    originalBytes,
  });
  const [only] = blocks;
  if (only === undefined) return shaped('', 'none');
  if (blocks.length === 1) {
    const inner = unwrapped(only);
    if (inner !== null) return shaped(inner, 'unwrapped');
    return 'text' in only ? shaped(only.text, 'text') : shaped(jsonText(only.json), 'json');
  }
  const data = blocks.filter(isData);
  if (data.length === blocks.length) return shaped(`[${data.map(dataText).join(',')}]`, 'array');
  const [rows] = data;
  if (rows !== undefined && data.length === 1) {
    const words = blocks.filter((block): block is TextBlock => block !== rows && 'text' in block);
    const bytes = words.reduce((sum, block) => sum + byteLength(block), 0);
    if (
      words.length === blocks.length - 1 &&
      bytes <= acknowledgementBytes &&
      byteLength(rows) >= bytes * dataOutweighs
    ) {
      return shaped(dataText(rows), 'text' in rows ? 'text' : 'json', joined(words));
    }
  }
  return shaped(contentDocument(blocks), 'content');
}

/** MCP: `structuredContent` is the result; `content` repeats it, acknowledges it, or says more. */
function fromStructured(structured: JsonValue, blocks: readonly Textual[]): Body {
  const same = repeats(structured, blocks);
  const data: readonly Textual[] = same?.length === 1 ? same : [{ json: structured }];
  const others = same === null ? blocks : blocks.filter((block) => !same.includes(block));
  return beside(data[0] as Textual, others);
}

/** The data with the other blocks' words beside it: apart when they are short, in one document when they are long. */
function beside(data: Textual, others: readonly Textual[]): Body {
  const whole = fromBlocks([data]);
  const bytes = others.reduce((sum, block) => sum + byteLength(block), 0);
  const originalBytes = whole.originalBytes + bytes;
  if (bytes <= acknowledgementBytes) return { ...whole, originalBytes, acknowledgement: joined(others) };
  const words = others.map((block, index) => `${JSON.stringify(String(index + 1))}:${valueText(block)}`);
  const text = isData(data) ? dataText(data) : valueText(data);
  const body = storedBytes(`{"structuredContent":${text},"text":{${words.join(',')}}}`);
  return { body, encoding: 'structured', acknowledgement: null, originalBytes };
}

/**
 * The blocks that say the same as the structured content: one block with the same value; or, as some servers wrap
 * what is no object, the value of its only field `result`, in one block or an element a block. Null when none does.
 */
function repeats(structured: JsonValue, blocks: readonly Textual[]): readonly Textual[] | null {
  for (const block of blocks) if (equalJson(jsonValue(block), structured)) return [block];
  const wrapped = wrappedResult(structured);
  if (wrapped === undefined) return null;
  for (const block of blocks) {
    if (('text' in block && block.text === wrapped) || equalJson(jsonValue(block), wrapped)) return [block];
  }
  if (!Array.isArray(wrapped) || wrapped.length !== blocks.length || blocks.length < 2) return null;
  const each = blocks.every((block, index) => {
    const element = (wrapped as readonly JsonValue[])[index] as JsonValue;
    return ('text' in block && block.text === element) || equalJson(jsonValue(block), element);
  });
  return each ? blocks : null;
}

function wrappedResult(structured: JsonValue): JsonValue | undefined {
  if (typeof structured !== 'object' || structured === null || Array.isArray(structured)) return undefined;
  const entries = Object.entries(structured);
  return entries.length === 1 && entries[0]?.[0] === 'result' ? (entries[0][1] as JsonValue) : undefined;
}

function equalJson(left: JsonValue | undefined, right: JsonValue): boolean {
  if (left === undefined) return false;
  try {
    return isDeepStrictEqual(left, right);
  } catch {
    // Nested deeper than the comparison recurses: taken as different, so that nothing is lost.
    return false;
  }
}

/** The value of a json block, or of a text that is a JSON array or object. */
function jsonValue(block: Textual): JsonValue | undefined {
  if ('json' in block) return block.json;
  return looksStructured(block.text) ? parsedJson(block.text) : undefined;
}

/** The inner text of a JSON string that holds a JSON array or object; null for anything else. */
function unwrapped(block: Textual): string | null {
  let inner: JsonValue | undefined;
  if ('json' in block) inner = block.json;
  else if (/^\s*"\s*(?:[[{]|\\)/.test(block.text.slice(0, 1024))) inner = parsedJson(block.text);
  return typeof inner === 'string' && looksStructured(inner) && parsedJson(inner) !== undefined ? inner : null;
}

function isTextual(block: ContentBlock): block is Textual {
  return 'text' in block || 'json' in block;
}

/** A JSON array or object, as a json block or as a text that is one. */
function isData(block: Textual): boolean {
  const value = jsonValue(block);
  return typeof value === 'object' && value !== null;
}

/** The block's own JSON text, which for a text block is its text to the byte. */
function dataText(block: Textual): string {
  return 'text' in block ? block.text : jsonText(block.json);
}

/** The block as a value inside a document: a text as a JSON string, a json block as its JSON. */
function valueText(block: Textual): string {
  return 'text' in block ? JSON.stringify(block.text) : jsonText(block.json);
}

function contentDocument(blocks: readonly Textual[]): string {
  const parts = blocks.map((block) => `{"${'text' in block ? 'text' : 'json'}":${valueText(block)}}`);
  return `{"content":[${parts.join(',')}]}`;
}

function joined(blocks: readonly Textual[]): string | null {
  const texts = blocks.map(dataText).filter((text) => /\S/u.test(text));
  return texts.length === 0 ? null : texts.join('\n');
}

function byteLength(block: Textual): number {
  return Buffer.byteLength(dataText(block), 'utf8');
}

function contentTypeOf(body: Uint8Array, encoding: BodyEncoding): string {
  if (encoding !== 'text' && encoding !== 'none') return 'application/json';
  const ends = Buffer.concat([body.subarray(0, 1024), body.subarray(Math.max(0, body.length - 1024))]);
  return looksStructured(ends.toString('utf8')) ? 'application/json' : 'text/plain; charset=utf-8';
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
