import type { ToolResult } from '../content/block.ts';
import type { Kept } from '../store/keeping.ts';
import { References, type ReferencesOptions } from './references.ts';
import type { ContextOf } from './request-context.ts';
import type { Produced } from './tool-source.ts';

export interface WrapSettings<Input, Answer> {
  /** Where results are kept; one for all tools of a process, since its uploads share one pool. */
  readonly references: References | ReferencesOptions;
  /** The tool's name: its rules are looked up by it. */
  readonly name: string;
  /** Whose call it is. Without an answer nothing is stored. */
  readonly context: ContextOf<Input>;
  /** What an over-budget result is answered as. Default: `{status, content, stored}`, Bedrock Converse's blocks. */
  readonly answer?: (kept: Kept) => Answer;
}

/**
 * Puts a budget behind any tool: a result within it is answered as the very object that the tool returned; a larger one
 * is stored, and answered with total, schema, profile, preview of whole records and reference. The raw result is never
 * passed on, and trouble with the store is never raised. A value, a tool result of content blocks (`{status, content}`,
 * or MCP's `{content, structuredContent}`), text, bytes, or a stream of any of them may be returned.
 */
export function withResultsByReference<Input, Output, Answer = Kept>(
  tool: (input: Input) => Output | Promise<Output>,
  settings: WrapSettings<Input, Answer>,
): (input: Input) => Promise<Output | Answer> {
  const references =
    settings.references instanceof References ? settings.references : new References(settings.references);
  const answered = settings.answer ?? ((kept: Kept) => kept as Answer);
  return async (input) => {
    const context = await settings.context(input);
    if (context === undefined) {
      const made = await tool(input);
      const kept = await references.unkept(settings.name, producedBy(made));
      return kept === null ? made : answered(kept);
    }
    const call = { run: references.run(context), tool: settings.name, toolUseId: settings.name, input };
    const { made, kept } = await references.call(call, () => tool(input), producedBy);
    return kept === null ? (made as Output) : answered(kept);
  };
}

/** What a tool returned: content blocks, a stream, or a value. */
export function producedBy(made: unknown): Produced {
  if (isToolResult(made)) {
    const { status, isError, content, structuredContent } = made;
    const failed = status === 'error' || isError === true;
    return {
      kind: 'result',
      result: {
        status: failed ? 'error' : 'success',
        content,
        ...(structuredContent === undefined ? {} : { structuredContent }),
      } as ToolResult,
    };
  }
  if (made instanceof Uint8Array) return { kind: 'bytes', bytes: made };
  if (made instanceof ArrayBuffer) return { kind: 'bytes', bytes: new Uint8Array(made) };
  return isStream(made) ? { kind: 'stream', pieces: made } : { kind: 'value', value: made };
}

interface ResultLike {
  readonly status?: unknown;
  readonly isError?: unknown;
  readonly content: ToolResult['content'];
  readonly structuredContent?: unknown;
}

function isToolResult(made: unknown): made is ResultLike {
  if (typeof made !== 'object' || made === null || !Array.isArray((made as ResultLike).content)) return false;
  const { status, isError, content, structuredContent } = made as ResultLike;
  const marked =
    status === 'success' || status === 'error' || typeof isError === 'boolean' || structuredContent !== undefined;
  return marked || content.every((block) => isBlock(block));
}

function isBlock(block: unknown): boolean {
  return (
    typeof block === 'object' &&
    block !== null &&
    ['text', 'json', 'image', 'document', 'video', 'type'].some((key) => key in block)
  );
}

/** Iterators, async iterables, and iterables that hold nothing else; lists of the language itself are values. */
function isStream(made: unknown): made is AsyncIterable<unknown> | Iterable<unknown> {
  if (typeof made !== 'object' || made === null) return false;
  if (Symbol.asyncIterator in made) return true;
  if (!(Symbol.iterator in made)) return false;
  return typeof (made as { readonly next?: unknown }).next === 'function' || onlyIterates(made);
}

/** All there is to know of it comes one by one: a serialiser would find nothing in it. */
function onlyIterates(made: object): boolean {
  if (Array.isArray(made) || ArrayBuffer.isView(made) || made instanceof Map || made instanceof Set) return false;
  return Object.keys(made).length === 0 && (made as { readonly toJSON?: unknown }).toJSON === undefined;
}
