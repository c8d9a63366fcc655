import { createHash } from 'node:crypto';
import { ClaimcheckError } from '../core/errors.ts';
import { exportRows, type RowSource } from '../core/export/export-rows.ts';
import type { ExportStore } from '../core/export/export-store.ts';
import { viewedSource } from '../core/export/viewed-source.ts';
import type { OwnerKey } from '../core/reference/owner-key.ts';
import { isId } from '../core/reference/reference.ts';
import { boundedError } from '../core/store/bounded-error.ts';
import { resultFormat } from '../core/store/result-index.ts';
import type { BodyMetadata, ResultStore } from '../core/store/result-store.ts';
import { gateOf } from '../core/tool/gate.ts';
import type { ToolContext, ToolDefinition } from '../core/tool/tool-definition.ts';
import { keptFields } from '../core/tool/view.ts';
import { FileSpool } from './export-spool.ts';
import { timeLeft, type WrapperAnswer } from './tool-wrapper.ts';

export interface ExportToolOptions {
  readonly bodies: Pick<ResultStore, 'putBody'>;
  readonly exports: Pick<ExportStore, 'putCsv'>;
  /** Bytes of the rows in the answer itself, in case the platform cannot confirm the files: `insert.maxBytes`. */
  readonly inlineBytes: number;
  /** `storage.maxBytes`, or less for this tool; holds for each of the two files. */
  readonly maxBytes: number;
  /** Of the file for people, without extension: `orders`. */
  readonly fileName: string;
  /** Whether the CSV begins with a UTF-8 byte order mark, which spreadsheets need; default true. */
  readonly byteOrderMark?: boolean;
  /** Fields kept by role, applied to the rows before anything is written (DESIGN 7.6). */
  readonly view?: ToolDefinition['view'];
}

/**
 * Runs inside a list tool's own function: writes the rows of `source` in one pass as a CSV for people and as a typed
 * copy for reads, both for the owner, session and tool of the platform's context, and answers the first rows and what
 * was stored. When a store refuses, the rows come without anything stored. Throws `Forbidden` without an owner.
 */
export async function exportFromTool(
  context: ToolContext,
  source: RowSource,
  options: ExportToolOptions,
): Promise<WrapperAnswer> {
  const owner = ownerOf(context);
  const view = options.view === undefined ? {} : { view: options.view };
  const kept = keptFields(view, context.roles);
  const gate = gateOf({ name: context.tool, ...view }, context.roles);
  const limits = { maxBytes: options.maxBytes, signal: AbortSignal.timeout(timeLeft(context)) };
  const hash = createHash('sha256');
  let body = { bytes: 0, etag: '' };
  const result = await exportRows(
    kept === null ? source : viewedSource(source, kept),
    {
      csv: (pieces) =>
        options.exports.putCsv(
          { owner, id: context.resultId },
          pieces,
          metadata(context, gate, 'text/csv; charset=utf-8', `${options.fileName}.csv`),
          limits,
        ),
      typed: async (pieces) => {
        body = await options.bodies.putBody(
          { owner, session: context.session, id: context.resultId },
          hashed(pieces, hash),
          metadata(context, gate, 'application/x-ndjson', `${options.fileName}.ndjson`),
          limits,
        );
      },
    },
    {
      inlineBytes: options.inlineBytes,
      byteOrderMark: options.byteOrderMark ?? true,
      makeSpool: () => new FileSpool(),
    },
  );
  const { failure } = result;
  if (failure instanceof ClaimcheckError && failure.code === 'OversizeResult') {
    const text = `OversizeResult: ${failure.message}; nothing was kept. Ask the tool for less.`;
    return { status: 'error', content: boundedError([{ text }], options.inlineBytes) };
  }
  if (!result.kept && !(failure instanceof ClaimcheckError)) throw failure;
  return {
    status: 'success',
    content: [{ text: result.inlineJson }],
    stored: {
      id: context.resultId,
      // Named, but never confirmed when nothing was kept: the platform answers the rows and says so.
      bytes: result.kept ? body.bytes : 0,
      sha256: result.kept ? hash.digest('hex') : '',
      etag: result.kept ? body.etag : '',
      export: { total: result.total, longCells: result.longCells },
    },
  };
}

/** Owner, session, ids and tool are the platform's; a model fills none of them. */
function ownerOf(context: ToolContext): OwnerKey {
  if (typeof context.owner !== 'string' || !/^[a-z0-9_%.~A-F-]{1,250}$/.test(context.owner)) {
    throw new ClaimcheckError('Forbidden', 'export: expected the owner of an authenticated run, found none');
  }
  if (!isId(context.resultId) || !isId(context.session)) {
    throw new ClaimcheckError('InvalidInput', 'context: expected the one that the platform makes');
  }
  return context.owner as OwnerKey;
}

function metadata(context: ToolContext, gate: string, contentType: string, fileName: string): BodyMetadata {
  return {
    tools: [gate],
    runId: context.runId,
    turn: context.turn,
    index: context.index,
    availableUntil: context.availableUntil,
    format: resultFormat,
    contentType,
    fileName,
  };
}

async function* hashed(
  pieces: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}
