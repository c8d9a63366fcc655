import type { ContentBlock, MediaSource } from '../content/block.ts';
import { imageTokens } from '../content/image-cost.ts';
import { textTokens } from './text-tokens.ts';

/**
 * Fixed costs of documents and videos, in tokens (DESIGN 8). docs/estimator.md says where they are from. An image costs
 * by its pixels, never by its bytes (case H019): core/content/image-cost.ts.
 */
export const mediaTokens = {
  /** A page of a PDF: its text, up to 3,000, and its picture. */
  documentPage: 4_600,
  /** A page of a PDF or office file has at least this many bytes more often than not. */
  documentPageBytes: 75_000,
  video: 20_000,
} as const;

const textFormats = ['txt', 'md', 'csv', 'html'];

/** Estimated tokens of an image, document or video block. */
export function mediaBlockTokens(block: Exclude<ContentBlock, { text: string } | { json: unknown }>): number {
  if ('image' in block) return imageTokens(block);
  if ('video' in block) return mediaTokens.video;
  const { format, source, name } = block.document;
  return textTokens(name) + documentTokens(format, source);
}

function documentTokens(format: string, source: MediaSource): number {
  if ('text' in source) return textTokens(source.text);
  if ('content' in source) return source.content.reduce((sum, part) => sum + textTokens(part.text), 0);
  if (!('bytes' in source)) return mediaTokens.documentPage;
  if (textFormats.includes(format)) return textTokens(Buffer.from(source.bytes).toString('utf8'));
  return mediaTokens.documentPage * Math.max(1, Math.ceil(source.bytes.byteLength / mediaTokens.documentPageBytes));
}
