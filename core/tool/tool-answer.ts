import { acceptBlock } from '../content/accept-block.ts';
import type { ToolResult } from '../content/block.ts';
import type { JsonValue } from '../json.ts';

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
  if (!isEnvelope(payload)) return malformed('expected an answer {status, content}, found something else');
  const { status, isError, content, structuredContent, stored, delivered } = payload;
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

/** The envelope as a tool may write it; what a member holds is not looked into. */
interface Envelope {
  readonly status?: 'success' | 'error';
  /** MCP says it so. */
  readonly isError?: boolean;
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly stored?: unknown;
  readonly delivered?: unknown;
}

function isEnvelope(payload: unknown): payload is Envelope {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return false;
  const { status, isError, content } = payload as Record<string, unknown>;
  return (
    (status === undefined || status === 'success' || status === 'error') &&
    (isError === undefined || typeof isError === 'boolean') &&
    (content === undefined || Array.isArray(content))
  );
}

function malformed(reason: string): ToolAnswer {
  return { kind: 'malformed', reason };
}
