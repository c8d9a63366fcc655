import { acceptBlock } from '../core/content/accept-block.ts';
import type { ContentBlock } from '../core/content/block.ts';
import { formatName } from '../core/content/media-format.ts';

/** A part of a message that holds a file, in the names that MCP and the frameworks share. */
interface MediaPart {
  readonly type?: unknown;
  readonly mimeType?: unknown;
  readonly data?: unknown;
  readonly filename?: unknown;
  readonly source?: { readonly type?: unknown } | null;
}

/** In LangChain's own names, and in those of OpenAI and Google, which pass through it as they are. */
const kinds = new Set(['image', 'image_url', 'audio', 'video', 'file', 'input_audio', 'input_file', 'media']);

/** Anthropic's documents are files or texts: a text is measured like any other. */
function isFile({ type, source }: MediaPart): boolean {
  if (type === 'document') return ['base64', 'url', 'file'].includes(String(source?.type));
  return typeof type === 'string' && kinds.has(type);
}

/**
 * A part of a message as the core has it. An image or any other file costs what one costs, whatever its bytes: it is
 * never counted or stored as text, and stays where the model sees it.
 */
export function messagePart(part: unknown): ContentBlock {
  const given = (part ?? {}) as MediaPart;
  if (!isFile(given)) return acceptBlock(part);
  const { mimeType, data, filename } = given;
  const type = String(given.type);
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
