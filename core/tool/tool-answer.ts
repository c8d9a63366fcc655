import * as z from 'zod/mini';
import { acceptBlock } from '../content/accept-block.ts';
import type { ToolResult } from '../content/block.ts';
import type { JsonValue } from '../json.ts';

const envelope = z.object({
  status: z.optional(z.enum(['success', 'error'])),
  /** MCP says it so. */
  isError: z.optional(z.boolean()),
  content: z.optional(z.array(z.unknown())),
  structuredContent: z.optional(z.unknown()),
  stored: z.optional(z.unknown()),
  delivered: z.optional(z.unknown()),
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
 * An answer that holds nothing, or is none, is malformed: the reason names what was expected, never what was in it. A
 * block of no known kind is data.
 */
export function parseToolAnswer(payload: unknown): ToolAnswer {
  if (payload === null || payload === undefined) return malformed('the tool answered nothing');
  const parsed = envelope.safeParse(payload);
  if (!parsed.success) return malformed('expected an answer {status, content}, found something else');
  const { status, isError, content, structuredContent, stored, delivered } = parsed.data;
  if ((content === undefined || content.length === 0) && structuredContent === undefined && stored === undefined) {
    return malformed('the tool answered nothing');
  }
  return {
    kind: 'answer',
    result: {
      status: status ?? (isError === true ? 'error' : 'success'),
      content: (content ?? []).map(acceptBlock),
      ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as JsonValue }),
    },
    stored,
    delivered: delivered as JsonValue | undefined,
  };
}

function malformed(reason: string): ToolAnswer {
  return { kind: 'malformed', reason };
}
