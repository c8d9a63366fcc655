import { acceptBlock } from '../core/content/accept-block.ts';
import type { ContentBlock } from '../core/content/block.ts';
import { formatName } from '../core/content/media-format.ts';

/** A part of a message that holds a file, in the names that MCP and the frameworks share. */
interface MediaPart {
  readonly type?: unknown;
  readonly mimeType?: unknown;
  readonly data?: unknown;
  readonly filename?: unknown;
}

const kinds = new Set(['image', 'image_url', 'audio', 'video', 'file']);

/**
 * A part of a message as the core has it. An image or any other file costs what one costs, whatever its bytes: it is
 * never counted or stored as text, and stays where the model sees it.
 */
export function messagePart(part: unknown): ContentBlock {
  const { type, mimeType, data, filename } = (part ?? {}) as MediaPart;
  if (typeof type !== 'string' || !kinds.has(type)) return acceptBlock(part);
  const mime = typeof mimeType === 'string' ? mimeType : '';
  const bytes = data instanceof Uint8Array ? data : Buffer.from(typeof data === 'string' ? data : '', 'base64');
  const format = formatName(mime);
  if (type.startsWith('image') || mime.startsWith('image')) return { image: { format, source: { bytes } } };
  return { document: { format, name: typeof filename === 'string' ? filename : type, source: { bytes } } };
}

/** What is no text and no data. */
export function isMedia(block: ContentBlock): boolean {
  return !('text' in block) && !('json' in block);
}
