import type { JsonValue } from '../json.ts';
import type { ContentBlock, MediaSource } from './block.ts';
import { documentFormats, formatName } from './media-format.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * One block of a tool result in Converse's shape, whatever it came in: Converse's own, also after a trip through
 * JSON (bytes as base64 or as `{type: "Buffer"}`), or MCP's (`type: "text" | "image" | "audio" | "resource" |
 * "resource_link"`). What is no known block is data: a `json` block of itself. Never throws.
 */
export function acceptBlock(raw: unknown): ContentBlock {
  if (!isFields(raw)) return typeof raw === 'string' ? { text: raw } : { json: (raw ?? null) as JsonValue };
  if (typeof raw['type'] === 'string') return fromMcp(raw['type'], raw);
  if (typeof raw['text'] === 'string') return { text: raw['text'] };
  if ('json' in raw) return { json: (raw['json'] ?? null) as JsonValue };
  for (const kind of ['image', 'document', 'video'] as const) {
    const media = raw[kind];
    if (!isFields(media)) continue;
    const source = acceptSource(media['source']);
    if (source === null) return { text: `[${kind} left out: it came without a source that can be read]` };
    const name = kind === 'document' ? { name: typeof media['name'] === 'string' ? media['name'] : '' } : {};
    const format = typeof media['format'] === 'string' ? media['format'] : '';
    return { [kind]: { ...media, ...name, format, source } } as unknown as ContentBlock;
  }
  return { json: raw as JsonValue };
}

/** Bytes in any of the forms that JSON gives them; null when there are none to read. */
export function acceptBytes(value: unknown): Uint8Array | null {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') {
    const text = value.replace(/^data:[^,]{0,200};base64,/, '').replace(/\s+/g, '');
    return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
  }
  if (!isFields(value)) return null;
  if (value['type'] === 'Buffer' && Array.isArray(value['data'])) return Uint8Array.from(value['data'] as number[]);
  const keys = Object.keys(value);
  const indexed = keys.length > 0 && keys.every((key, index) => key === String(index));
  return indexed ? Uint8Array.from(Object.values(value) as number[]) : null;
}

function acceptSource(source: unknown): MediaSource | null {
  if (!isFields(source)) return null;
  if ('bytes' in source) {
    const bytes = acceptBytes(source['bytes']);
    return bytes === null ? null : { bytes };
  }
  if (Array.isArray(source['content'])) {
    const readable = source['content'].every((part) => isFields(part) && typeof part['text'] === 'string');
    return readable ? (source as unknown as MediaSource) : null;
  }
  const known = 's3Location' in source || typeof source['text'] === 'string';
  return known ? (source as unknown as MediaSource) : null;
}

function fromMcp(type: string, raw: Fields): ContentBlock {
  if (type === 'text' && typeof raw['text'] === 'string') return { text: raw['text'] };
  if (type === 'image' || type === 'audio') return attachment(type, raw['data'], raw['mimeType'], undefined, raw);
  if (type === 'resource' && isFields(raw['resource'])) {
    const resource = raw['resource'];
    if (typeof resource['text'] === 'string') return { text: resource['text'] };
    return attachment('resource', resource['blob'], resource['mimeType'], resource['uri'], raw);
  }
  return { json: raw as JsonValue };
}

/** A file inside a block: an image, a document, or a line that says what it was. */
function attachment(what: string, data: unknown, mimeType: unknown, uri: unknown, raw: Fields): ContentBlock {
  const bytes = acceptBytes(data);
  if (bytes === null) return { json: raw as JsonValue };
  const mime = typeof mimeType === 'string' ? mimeType : 'application/octet-stream';
  const format = formatName(mime);
  if (mime.startsWith('image/')) return { image: { format, source: { bytes } } };
  if (documentFormats.includes(format)) {
    const name = typeof uri === 'string' ? (uri.split('/').at(-1) ?? uri) : what;
    return { document: { format, name, source: { bytes } } };
  }
  return { text: `[${what} left out: ${mime}, ${bytes.byteLength} bytes]` };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}
