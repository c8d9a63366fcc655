import type { JsonValue } from '../json.ts';

/** Where the bytes of an image, document or video come from, as Bedrock Converse names it. */
export type MediaSource =
  | { readonly bytes: Uint8Array }
  | { readonly s3Location: { readonly uri: string; readonly bucketOwner?: string } }
  | { readonly text: string }
  | { readonly content: readonly { readonly text: string }[] };

export type TextBlock = { readonly text: string };
export type JsonBlock = { readonly json: JsonValue };
export type ImageBlock = { readonly image: { readonly format: string; readonly source: MediaSource } };
export type DocumentBlock = {
  readonly document: { readonly format: string; readonly name: string; readonly source: MediaSource };
};
export type VideoBlock = { readonly video: { readonly format: string; readonly source: MediaSource } };

/** One block of a tool result, in Bedrock Converse's shape (DESIGN 5.1). */
export type ContentBlock = TextBlock | JsonBlock | ImageBlock | DocumentBlock | VideoBlock;

export type ToolUseBlock = {
  readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: JsonValue };
};
export type ToolResultBlock = {
  readonly toolResult: {
    readonly toolUseId: string;
    readonly status?: 'success' | 'error';
    readonly content: readonly ContentBlock[];
  };
};
/** Returned to the service byte for byte (DESIGN 5.1). */
export type ReasoningBlock = { readonly reasoningContent: unknown };
export type CachePointBlock = { readonly cachePoint: { readonly type: 'default' } };

export type MessageBlock = ContentBlock | ToolUseBlock | ToolResultBlock | ReasoningBlock | CachePointBlock;

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly MessageBlock[];
}

/** What a tool returned, whole. `structuredContent` is MCP's: beside `content` it means the same one result. */
export interface ToolResult {
  readonly status: 'success' | 'error';
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: JsonValue;
}
