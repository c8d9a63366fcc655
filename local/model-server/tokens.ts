import { imageTokens } from '../../core/content/image-cost.ts';
import { type ConverseRequest, isObject, type WireBlock, type WireMedia, type WireTool } from './request.ts';

/**
 * A count of tokens that behaves like a real tokenizer's: prose about four characters a token, dense JSON about two,
 * digits and hex less, CJK one to two a character. Additive over blocks, so that a cached prefix has a count of its own.
 */
export function textTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) {
    const first = piece.codePointAt(0) ?? 0;
    if (isLetter(first)) tokens += Math.ceil(piece.length / 6);
    else if (isDigit(first)) tokens += Math.ceil(piece.length / 3);
    else if (first < 0x80) tokens += Math.ceil(piece.length / 3);
    else if (first < 0x500) tokens += Math.ceil(piece.length / 2.5);
    else tokens += 1.2;
  }
  return Math.ceil(tokens);
}

// A single space belongs to the word behind it, as in byte-pair vocabularies.
const pieces = / ?[A-Za-z]+|[0-9]+|[\u0080-\u04ff]+|[\u0500-\u{10ffff}]|[^A-Za-z0-9\u0080-\u{10ffff}]+/gu;

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x20;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Framing of one message or block on top of its text. */
const frame = 4;
export function blockTokens(block: WireBlock): number {
  if (block.cachePoint !== undefined) return 0;
  if (block.text !== undefined) return frame + textTokens(block.text);
  if (block.json !== undefined) return frame + textTokens(JSON.stringify(block.json));
  if (block.toolUse !== undefined) {
    const { name, input } = block.toolUse;
    return frame + 8 + textTokens(name) + textTokens(JSON.stringify(input));
  }
  if (block.toolResult !== undefined) return frame + 8 + sum(block.toolResult.content.map(blockTokens));
  if (block.image !== undefined) return imageTokens({ image: { format: '', source: { bytes: bytesOf(block.image) } } });
  if (block.reasoningContent !== undefined) return frame + textTokens(JSON.stringify(block.reasoningContent));
  return frame + textTokens(JSON.stringify(block));
}

/** One piece of a request, in the order in which the service reads them; a cache point ends a prefix. */
export interface CountedPiece {
  readonly tokens: number;
  /** Text that tells this piece from every other one. */
  readonly identity: string;
  readonly cachePoint: boolean;
}

/** Tools, then system, then messages: the order in which prefixes are cached. */
export function countedPieces(request: ConverseRequest): readonly CountedPiece[] {
  const tool = (piece: WireTool): CountedPiece => ({
    tokens: piece.cachePoint === undefined ? frame + textTokens(JSON.stringify(piece)) : 0,
    identity: piece.cachePoint === undefined ? `tool ${JSON.stringify(piece)}` : '',
    cachePoint: piece.cachePoint !== undefined,
  });
  const block =
    (kind: string) =>
    (piece: WireBlock): CountedPiece => ({
      tokens: blockTokens(piece),
      identity: piece.cachePoint === undefined ? `${kind} ${JSON.stringify(sorted(piece))}` : '',
      cachePoint: piece.cachePoint !== undefined,
    });
  return [
    ...request.tools.map(tool),
    ...request.system.map(block('system')),
    ...request.messages.flatMap((message) => message.content.map(block(message.role))),
  ];
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function bytesOf({ source }: WireMedia): Uint8Array {
  return Buffer.from(typeof source?.['bytes'] === 'string' ? source['bytes'] : '', 'base64');
}
