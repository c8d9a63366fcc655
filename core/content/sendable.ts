import type { JsonValue } from '../json.ts';
import type { ContentBlock, DocumentBlock, ImageBlock, MediaSource, VideoBlock } from './block.ts';
import { DocumentNames } from './document-names.ts';
import { imageSize } from './image-size.ts';
import { jsonText } from './json-text.ts';
import { documentFormats, formatName, imageFormats, sniffedImageFormat, videoFormats } from './media-format.ts';
import { isBlank, wellFormed } from './well-formed.ts';

/** Stands where a tool returned nothing that can be sent: the service refuses an empty or blank text. */
export const nothingReturned = '[the tool returned no content]';

/** Bytes of one attachment that Converse takes inline (Bedrock user guide, Converse quotas). */
const imageBytes = 3_932_160;
const documentBytes = 4_718_592;
const videoBytes = 26_214_400;
/** Width and height of an image, at most. */
const imageEdge = 8_000;
/** API reference, S3Location.uri. */
const s3Uri = /^s3:\/\/[a-z0-9][.\-a-z0-9]{1,61}[a-z0-9](\/.*)?$/;
/**
 * The key of a stored result or export (DESIGN 6). The service fetches with the rights of the function that calls it,
 * which may read everybody's results: a tool that names one as its picture would see it opened. In any bucket, since
 * an access point has a name of its own.
 */
const ownKey = /\/(?:results\/[^/]+\/[0-9a-f]{32}\/[0-9a-f]{32}\/[^/]*|exports\/[^/]+\/[^/]*)$/;
/** Levels. Deeper objects travel as text: serialisers on the way recurse. A text this short cannot be that deep. */
export const deepest = 500;
const deepText = deepest * 2;

/**
 * Blocks that the model service accepts, the same in meaning (DESIGN 5.1): no blank text, no lone surrogate, `json`
 * only for objects (arrays and scalars as their JSON text, so `0`, `false`, `null`, `[]` and `""` stay apart), valid and
 * unique document names, and a text that says so for an attachment the service refuses. Blocks that are fine are
 * passed on as the same object; never an empty list. Share `names` among all blocks of one request.
 */
export function sendable(blocks: readonly ContentBlock[], names: DocumentNames = new DocumentNames()): ContentBlock[] {
  const sent = blocks.flatMap((block) => sendableBlock(block, names));
  return sent.length === 0 ? [{ text: nothingReturned }] : sent;
}

function sendableBlock(block: ContentBlock, names: DocumentNames): ContentBlock[] {
  if ('text' in block) {
    if (isBlank(block.text)) return [];
    const text = wellFormed(block.text);
    return [text === block.text ? block : { text }];
  }
  if ('json' in block) return [sendableJson(block)];
  if ('image' in block) return [sendableImage(block)];
  if ('document' in block) return [sendableDocument(block, names)];
  if ('video' in block) return [sendableVideo(block)];
  return [];
}

function sendableJson(block: { readonly json: JsonValue }): ContentBlock {
  const text = jsonText(block.json);
  if (typeof block.json !== 'object' || block.json === null || Array.isArray(block.json)) {
    return { text: wellFormed(mendedJsonText(text)) };
  }
  if (text.length > deepText && nestedDeeper(block.json, deepest)) return { text: wellFormed(mendedJsonText(text)) };
  const mended = mendedJsonText(text);
  return mended === text ? block : { json: JSON.parse(mended) as JsonValue };
}

/** `JSON.stringify` writes a lone surrogate, in a key or a value, as its escape; other escapes of that kind it never writes. */
function mendedJsonText(text: string): string {
  return text.replace(/(\\*)\\u(d[89a-f][0-9a-f]{2})/g, (all, before: string) =>
    before.length % 2 === 0 ? `${before}\ufffd` : all,
  );
}

export function nestedDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((entry) => nestedDeeper(entry, levels - 1));
}

function sendableImage(block: ImageBlock): ContentBlock {
  const { source } = block.image;
  let format = formatName(block.image.format);
  if ('bytes' in source) {
    const size = source.bytes.byteLength;
    if (size === 0) return { text: '[image left out: it came without any bytes]' };
    // A wrong label is refused by the service; what the bytes are is plain to see.
    format = sniffedImageFormat(source.bytes) ?? format;
    if (size > imageBytes) return { text: refused('image', format, size, `takes up to ${imageBytes} bytes`) };
    const pixels = imageSize(source.bytes);
    if (pixels !== null && Math.max(pixels.width, pixels.height) > imageEdge) {
      return { text: refused('image', format, size, `takes up to ${imageEdge} pixels a side`) };
    }
  } else if (!isS3(source)) return { text: '[image left out: its source is neither bytes nor a place in S3]' };
  if (!imageFormats.includes(format)) {
    return { text: refused('image', format, sizeOf(source), `takes ${imageFormats.join(', ')}`) };
  }
  return format === block.image.format ? block : { image: { ...block.image, format } };
}

function sendableDocument(block: DocumentBlock, names: DocumentNames): ContentBlock {
  const { source } = block.document;
  const format = formatName(block.document.format);
  const what = `document ${JSON.stringify(wellFormed(block.document.name ?? ''))}`;
  if (!documentFormats.includes(format)) {
    return { text: refused(what, format, sizeOf(source), `takes ${documentFormats.join(', ')}`) };
  }
  if ('bytes' in source) {
    const size = source.bytes.byteLength;
    if (size === 0) return { text: `[${what} left out: it came without any bytes]` };
    if (size > documentBytes) return { text: refused(what, format, size, `takes up to ${documentBytes} bytes`) };
  }
  if ('s3Location' in source && !isS3(source)) return { text: `[${what} left out: its source is no place in S3]` };
  if ('text' in source && isBlank(source.text)) return { text: `[${what} left out: its text is blank]` };
  const name = names.allocate(block.document.name ?? '');
  const mended = mendedSource(source);
  const same = name === block.document.name && format === block.document.format && mended === source;
  return same ? block : { document: { ...block.document, format, name, source: mended } };
}

function mendedSource(source: MediaSource): MediaSource {
  if ('text' in source) {
    const text = wellFormed(source.text);
    return text === source.text ? source : { text };
  }
  if (!('content' in source)) return source;
  const content = source.content.map((part) => ({ ...part, text: wellFormed(part.text) }));
  return content.every((part, index) => part.text === source.content[index]?.text) ? source : { content };
}

function sendableVideo(block: VideoBlock): ContentBlock {
  const { source } = block.video;
  const format = formatName(block.video.format);
  if ('bytes' in source && source.bytes.byteLength === 0)
    return { text: '[video left out: it came without any bytes]' };
  if (!('bytes' in source) && !isS3(source)) {
    return { text: '[video left out: its source is neither bytes nor a place in S3]' };
  }
  if (!videoFormats.includes(format)) {
    return { text: refused('video', format, sizeOf(source), `takes ${videoFormats.join(', ')}`) };
  }
  if ('bytes' in source && source.bytes.byteLength > videoBytes) {
    return { text: refused('video', format, source.bytes.byteLength, `takes up to ${videoBytes} bytes`) };
  }
  return format === block.video.format ? block : { video: { ...block.video, format } };
}

function isS3(source: MediaSource): boolean {
  if (!('s3Location' in source)) return false;
  const uri = String(source.s3Location?.uri);
  return s3Uri.test(uri) && !ownKey.test(uri);
}

/** A size is named only where it is known: something kept elsewhere is not "0 bytes". */
function refused(what: string, format: string, size: number | null, takes: string): string {
  const bytes = size === null ? '' : `, ${size} bytes`;
  return `[${what} left out: ${wellFormed(format) || 'no format given'}${bytes}; the model service ${takes}]`;
}

function sizeOf(source: MediaSource): number | null {
  if ('bytes' in source) return source.bytes.byteLength;
  return 'text' in source ? Buffer.byteLength(source.text, 'utf8') : null;
}
