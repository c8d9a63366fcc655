import { acceptBlock } from '../core/content/accept-block.ts';
import type { ContentBlock, MediaSource } from '../core/content/block.ts';

/** A file beside a result that was kept, as plain data: it may take a trip through a UI. */
export interface KeptFile {
  readonly mediaType: string;
  readonly filename?: string;
  /** One of these: base64, a text, an address. */
  readonly data?: string;
  readonly text?: string;
  readonly url?: string;
}

const documentTypes: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  csv: 'text/csv',
  html: 'text/html',
  txt: 'text/plain',
  md: 'text/markdown',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Images, documents and videos that stay beside a result, and what MCP has besides: sounds and resources of bytes. */
export function filesBeside(content: readonly ContentBlock[], made: unknown): readonly KeptFile[] {
  return [...content.flatMap(blockFile), ...blocksOf(made).flatMap(otherFile)];
}

/** The part of a tool result that a model gets for a file. */
export function filePart({ mediaType, filename, data, text, url }: KeptFile) {
  const from =
    data !== undefined
      ? { type: 'data' as const, data }
      : url !== undefined
        ? { type: 'url' as const, url: new URL(url) }
        : { type: 'text' as const, text: text ?? '' };
  return { type: 'file' as const, mediaType, ...(filename && { filename }), data: from };
}

function blockFile(block: ContentBlock): KeptFile[] {
  if ('image' in block) return [{ mediaType: `image/${block.image.format}`, ...sourceOf(block.image.source) }];
  if ('video' in block) return [{ mediaType: `video/${block.video.format}`, ...sourceOf(block.video.source) }];
  if (!('document' in block)) return [];
  const { format, name, source } = block.document;
  const mediaType = documentTypes[format] ?? 'application/octet-stream';
  return [{ mediaType, ...(name && { filename: name }), ...sourceOf(source) }];
}

function sourceOf(source: MediaSource): Pick<KeptFile, 'data' | 'text' | 'url'> {
  if ('bytes' in source) return { data: Buffer.from(source.bytes).toString('base64') };
  if ('s3Location' in source) return { url: source.s3Location.uri };
  return { text: 'text' in source ? source.text : source.content.map(({ text }) => text).join('\n') };
}

interface McpBlock {
  readonly type?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
  readonly resource?: { readonly blob?: unknown; readonly mimeType?: unknown; readonly uri?: unknown };
}

function otherFile(block: McpBlock): KeptFile[] {
  // What became an image or a document is in the content already.
  if (!('text' in acceptBlock(block))) return [];
  const { data, mimeType, uri } =
    block.type === 'audio' ? { ...block, uri: undefined } : { ...block.resource, data: block.resource?.blob };
  if (typeof data !== 'string') return [];
  const filename = typeof uri === 'string' ? (uri.split('/').at(-1) ?? '') : '';
  const mediaType = typeof mimeType === 'string' ? mimeType : 'application/octet-stream';
  return [{ mediaType, ...(filename && { filename }), data }];
}

function blocksOf(made: unknown): readonly McpBlock[] {
  const content = typeof made === 'object' && made !== null ? (made as { readonly content?: unknown }).content : [];
  return Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block !== null) : [];
}
