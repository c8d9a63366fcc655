import { createHash } from 'node:crypto';
import type { ContentBlock, ToolResult } from '../core/content/block.ts';
import { ClaimcheckError } from '../core/errors.ts';
import type { OwnerKey } from '../core/reference/owner-key.ts';
import { isId } from '../core/reference/reference.ts';
import { boundedError } from '../core/store/bounded-error.ts';
import { resultFormat } from '../core/store/result-index.ts';
import type { ResultStore } from '../core/store/result-store.ts';
import { gateOf } from '../core/tool/gate.ts';
import type { ToolContext, ToolDefinition } from '../core/tool/tool-definition.ts';
import { applyView, keptFields } from '../core/tool/view.ts';
import { inTime } from '../core/wrap/in-time.ts';

/** What a tool makes: text in pieces, or a text that was made already. */
export type Producer = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** What a wrapped tool answers to the platform (docs/contracts.md). */
export interface WrapperAnswer extends ToolResult {
  readonly stored?: {
    readonly id: string;
    readonly bytes: number;
    readonly sha256: string;
    readonly etag: string;
    /** Of a list: what its source alone knows (DESIGN 5.6). */
    readonly export?: { readonly total: number | null; readonly longCells: number };
  };
}

export interface WrapperOptions {
  readonly store: Pick<ResultStore, 'putBody'>;
  /** Bytes of content in the answer: `transport.maxBytes`. */
  readonly transportBytes: number;
  /** `storage.maxBytes`, or less for this tool. */
  readonly maxBytes: number;
  readonly contentType: string;
  readonly fileName?: string;
  /** Fields kept by role: applied while the result streams past, before anything is stored or answered (DESIGN 7.6). */
  readonly view?: ToolDefinition['view'];
}

/** Milliseconds before the platform's deadline at which an upload is given up: the answer must still arrive. */
const graceMs = 2_000;
/** Bytes of the beginning that travel beside a stored result, in case the platform cannot confirm the copy. */
const headBytes = 16 * 1024;

/**
 * Runs inside a tool's own function: streams the result into the store in bounded memory and answers its beginning and
 * what was stored. A result that fits the wire is answered whole and stored by the platform. When the store refuses,
 * the answer holds what fits and no `stored`: the platform then says that the rest was not kept.
 */
export async function storeFromTool(
  context: ToolContext,
  produce: Producer,
  options: WrapperOptions,
): Promise<WrapperAnswer> {
  if (!isId(context.resultId) || !isId(context.session)) {
    throw new ClaimcheckError('InvalidInput', 'context: expected the one that the platform makes');
  }
  const view = options.view === undefined ? {} : { view: options.view };
  const pieces = walk(applyView(produce(), keptFields(view, context.roles)));
  const start = await collect(pieces, options.transportBytes);
  if (start.ended) return { status: 'success', content: textContent(start.bytes) };
  const measured = measure(start.bytes, pieces);
  const left = timeLeft(context);
  try {
    // Time to clean up after an upload that was given up; a store that does not look at its signal is left behind.
    const body = await inTime(left + graceMs / 2, () =>
      options.store.putBody(
        { owner: context.owner as OwnerKey, session: context.session, id: context.resultId },
        measured.pieces,
        {
          tools: [gateOf({ name: context.tool, ...view }, context.roles)],
          runId: context.runId,
          turn: context.turn,
          index: context.index,
          availableUntil: context.availableUntil,
          format: resultFormat,
          contentType: options.contentType,
          ...(options.fileName === undefined ? {} : { fileName: options.fileName }),
        },
        { maxBytes: options.maxBytes, signal: AbortSignal.timeout(left) },
      ),
    );
    const stored = { id: context.resultId, bytes: body.bytes, sha256: measured.digest(), etag: body.etag };
    return { status: 'success', content: textContent(start.bytes.subarray(0, headBytes)), stored };
  } catch (error) {
    // A tool that fails on the way has failed; whatever else is thrown is the view's or the store's.
    const failure = measured.failure();
    if (failure !== undefined && !(failure.error instanceof ClaimcheckError)) throw failure.error;
    if (error instanceof ClaimcheckError && error.code === 'OversizeResult') {
      const text = `OversizeResult: ${error.message}; nothing was kept. Ask the tool for less.`;
      return { status: 'error', content: boundedError([{ text }], options.transportBytes) };
    }
    // Named, but never confirmed: the platform answers the part and says that the rest was not kept.
    const unconfirmed = { id: context.resultId, bytes: measured.bytes(), sha256: '', etag: '' };
    return { status: 'success', content: textContent(start.bytes.subarray(0, headBytes)), stored: unconfirmed };
  }
}

async function* walk(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* source;
}

/** Reads until more than `maxBytes` came or the source ended; the generator can be read on. */
async function collect(
  pieces: AsyncGenerator<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly ended: boolean }> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= maxBytes) {
    const next = await pieces.next();
    if (next.done === true) return { bytes: Buffer.concat(parts), ended: true };
    parts.push(next.value);
    bytes += next.value.length;
  }
  return { bytes: Buffer.concat(parts), ended: false };
}

/** The whole as one walk that hashes what passes. */
function measure(start: Uint8Array, rest: AsyncGenerator<Uint8Array>) {
  const hash = createHash('sha256');
  let seen = 0;
  let failure: { readonly error: unknown } | undefined;
  async function* made(): AsyncGenerator<Uint8Array> {
    try {
      yield* rest;
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  async function* passing(): AsyncGenerator<Uint8Array> {
    hash.update(start);
    seen += start.length;
    yield start;
    for await (const piece of made()) {
      hash.update(piece);
      seen += piece.length;
      yield piece;
    }
  }
  return { pieces: passing(), digest: () => hash.digest('hex'), bytes: () => seen, failure: () => failure };
}

/** Text cut at a character's end, so that no half character becomes a replacement mark. */
function textContent(bytes: Uint8Array): readonly ContentBlock[] {
  let end = bytes.length;
  let start = end;
  while (start > 0 && start > end - 4 && ((bytes[start - 1] as number) & 0xc0) === 0x80) start -= 1;
  const lead = bytes[start - 1] ?? 0;
  const wanted = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
  if (end - start < wanted) end = start - 1;
  return [{ text: Buffer.from(bytes.buffer, bytes.byteOffset, end).toString('utf8') }];
}

/** Milliseconds that uploads may take: until the platform stops waiting, less what the answer needs. */
export function timeLeft(context: ToolContext): number {
  const left = Date.parse(context.deadline) - Date.now() - graceMs;
  return Number.isFinite(left) ? Math.max(1, left) : 30_000;
}
