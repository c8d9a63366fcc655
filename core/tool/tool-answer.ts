import { z } from 'zod';
import type { ContentBlock, ToolResult } from '../content/block.ts';
import type { JsonValue } from '../json.ts';

const source = z.union([
  z.object({ bytes: z.union([z.string(), z.instanceof(Uint8Array)]) }),
  z.object({ s3Location: z.object({ uri: z.string(), bucketOwner: z.string().optional() }) }),
  z.object({ text: z.string() }),
  z.object({ content: z.array(z.object({ text: z.string() })) }),
]);
const block = z.union([
  z.object({ text: z.string() }),
  z.object({ json: z.unknown() }).refine((value) => 'json' in value && value.json !== undefined),
  z.object({ image: z.object({ format: z.string(), source }) }),
  z.object({ document: z.object({ format: z.string(), name: z.string(), source }) }),
  z.object({ video: z.object({ format: z.string(), source }) }),
]);
const envelope = z.object({
  status: z.enum(['success', 'error']).optional(),
  /** MCP says it so. */
  isError: z.boolean().optional(),
  content: z.array(z.unknown()).optional(),
  structuredContent: z.unknown().optional(),
  stored: z.unknown().optional(),
  delivered: z.unknown().optional(),
});

export type ToolAnswer =
  | {
      readonly kind: 'answer';
      readonly result: ToolResult;
      /** What a wrapper says that it stored; not believed here. */
      readonly stored: unknown;
      /** What one of the platform's own tools delivered. */
      readonly delivered: JsonValue | undefined;
    }
  | { readonly kind: 'malformed'; readonly reason: string };

/**
 * A tool's answer, `{status, content, structuredContent?, stored?}` or MCP's `{isError?, content, structuredContent?}`.
 * An answer that holds nothing, or a block of no known kind, is malformed: the reason names what was expected, never
 * what was in it.
 */
export function parseToolAnswer(payload: unknown): ToolAnswer {
  if (payload === null || payload === undefined) return malformed('the tool answered nothing');
  const parsed = envelope.safeParse(payload);
  if (!parsed.success) return malformed('expected an answer {status, content}, found something else');
  const { status, isError, content, structuredContent, stored, delivered } = parsed.data;
  if ((content === undefined || content.length === 0) && structuredContent === undefined && stored === undefined) {
    return malformed('the tool answered nothing');
  }
  const blocks: ContentBlock[] = [];
  for (const [position, candidate] of (content ?? []).entries()) {
    const known = mcpBlock(candidate) ?? block.safeParse(candidate).data;
    if (known === undefined)
      return malformed(`content block ${position}: expected text, json, image, document or video`);
    blocks.push(withBytes(known as ContentBlock));
  }
  return {
    kind: 'answer',
    result: {
      status: status ?? (isError === true ? 'error' : 'success'),
      content: blocks,
      ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as JsonValue }),
    },
    stored,
    delivered: delivered as JsonValue | undefined,
  };
}

/** MCP's own block shapes: `{type: 'text', text}` and `{type: 'image', data, mimeType}`. */
function mcpBlock(candidate: unknown): ContentBlock | undefined {
  const { type, text, data, mimeType } = (candidate ?? {}) as Record<string, unknown>;
  if (type === 'text' && typeof text === 'string') return { text };
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') {
    return { image: { format: mimeType.replace(/^image\//, ''), source: { bytes: Buffer.from(data, 'base64') } } };
  }
  return undefined;
}

/** JSON cannot hold bytes: a function answers them as base64. */
function withBytes(candidate: ContentBlock): ContentBlock {
  for (const kind of ['image', 'document', 'video'] as const) {
    const media = (candidate as Record<string, { source?: { bytes?: unknown } }>)[kind];
    if (typeof media?.source?.bytes === 'string') {
      const bytes = new Uint8Array(Buffer.from(media.source.bytes, 'base64'));
      return { [kind]: { ...media, source: { bytes } } } as unknown as ContentBlock;
    }
  }
  return candidate;
}

function malformed(reason: string): ToolAnswer {
  return { kind: 'malformed', reason };
}
